import type { App } from "../app";
import { number, t } from "../text/text";

/** Elsewhere says that ships match though the map shows none of them, and goes there. */
export function Elsewhere({ app }: { app: App }) {
  const { shown } = app.search,
    placed = app.search.placed(),
    n = number(shown);
  const told = placed
    ? shown === 1
      ? t("search.elsewhere.one")
      : t("search.elsewhere", { n })
    : shown === 1
      ? t("search.nowhere.one")
      : t("search.nowhere", { n });
  const show = (): void => {
    app.chart?.fit(true);
    document.getElementById("map")?.focus();
  };
  return (
    <p class="following ruler elsewhere" role="status">
      <span>{told}</span> {placed && <button onClick={show}>{t("search.show")}</button>}
    </p>
  );
}
