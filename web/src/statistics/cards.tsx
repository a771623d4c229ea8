// The cards: what can be asked, a picture and a sentence each.
import type { App } from "../app";
import { t } from "../text/text";
import { Heading } from "../ui/heading";
import { kinds, needs } from "./kinds";
import { Picture } from "./pictures";

/** kindText names a kind. */
export const kindText = (kind: string): string => (kinds[kind] ? t("statkind." + kind) : kind);

/** Cards offers the kinds that the user may ask. */
export function Cards({ app }: { app: App }) {
  const offered = Object.keys(kinds).filter((kind) => app.session.may(needs(kind)));
  return (
    <>
      <Heading app={app} title={t("stat.new")} back={["statistics"]} />
      {offered.length === 0 && <p class="empty">{t("stat.noKind")}</p>}
      <ul class="statcards">
        {offered.map((kind) => (
          <li key={kind}>
            <button onClick={() => void app.navigation.go("statistics", "new", kind)}>
              <Picture kind={kind} />
              <b>{kindText(kind)}</b>
              <span class="quiet">{t("statabout." + kind)}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
