import type { App } from "../app";
import { t } from "../text/text";

/** RequestNote says why the map went to other ships, with the way back. */
export function RequestNote({ app }: { app: App }) {
  const { now } = app.request;
  if (!now) return null;
  return (
    <div class="selection" role="status">
      <p>{app.request.text()}</p>
      {now.there ? (
        <button onClick={() => app.request.back()}>{t("select.back")}</button>
      ) : (
        <button onClick={() => app.request.show()}>{t("select.show")}</button>
      )}
      <button class="square" aria-label={t("select.close")} onClick={() => app.request.close()}>
        ×
      </button>
    </div>
  );
}
