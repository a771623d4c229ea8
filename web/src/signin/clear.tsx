import { address } from "../api";
import type { App } from "../app";
import { t } from "../text/text";

/** InClear says that the password can be read on the network, and leads to HTTPS. */
export function InClear({ app }: { app: App }) {
  const { https, fingerprint, refused } = app.encryption;
  return (
    <aside class="clear">
      <p>
        <strong>{t(refused ? "signin.refused" : "signin.clear")}</strong>
      </p>
      {https !== "" && (
        <p>
          <a href={https + location.search + (location.hash || "#") + "&light=" + app.settings.palette}>{t("signin.https")}</a>
        </p>
      )}
      {fingerprint !== "" && (
        <details>
          <summary>{t("signin.warned")}</summary>
          <p>
            <a href={address("tls/ca.crt")} download="quaywatch-ca.crt">
              {t("signin.authority")}
            </a>{" "}
            {t("signin.import")}
          </p>
          <p>{t("signin.compare")}</p>
          <code>
            {fingerprint.split(":").map((pair, i) => (
              <>
                {i > 0 && ":"}
                {i > 0 && <wbr />}
                {pair}
              </>
            ))}
          </code>
        </details>
      )}
    </aside>
  );
}
