import type { App } from "../app";
import { t } from "../text/text";

/** SelectionNote says who had the map go to which ships, with the way back. */
export function SelectionNote({ app }: { app: App }) {
  const { now } = app.selection;
  if (!now) return null;
  return (
    <div class="selection" role="status">
      <p>{app.selection.text()}</p>
      {now.there ? (
        <button onClick={() => app.selection.back()}>{t("select.back")}</button>
      ) : (
        <button onClick={() => app.selection.show()}>{t("select.show")}</button>
      )}
      <button class="square" aria-label={t("select.close")} onClick={() => app.selection.close()}>
        ×
      </button>
    </div>
  );
}
