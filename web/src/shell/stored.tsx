import type { App } from "../app";
import { when } from "../text/clock";
import { number, t } from "../text/text";

/** StoredNote says that the ships on the map are not heard now, and from when they are; it can be closed. */
export function StoredNote({ app }: { app: App }) {
  const { stored, picture } = app;
  if (!stored || stored.read) return null;
  const close = (): void => {
    stored.read = true;
    app.changed();
  };
  return (
    <p class="following ruler elsewhere">
      <span role="status">{t("stored.note", { n: number(picture.ships.size), time: when(stored.newest, picture.now()) })}</span>{" "}
      <button class="square" aria-label={t("stored.close")} title={t("stored.close")} onClick={close}>
        ×
      </button>
    </p>
  );
}
