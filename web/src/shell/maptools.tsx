import type { App } from "../app";
import { t } from "../text/text";
import { mayWarn } from "../may";
import { Icon } from "../ui/icon";

/** MapTools are the buttons upon the map. */
export function MapTools({ app }: { app: App }) {
  const tool = (word: string, d: string, act: () => void, on?: boolean) => (
    <button aria-label={word} title={word} aria-pressed={on} onClick={act}>
      <Icon d={d} />
    </button>
  );
  return (
    <div class="maptools">
      {tool(t("map.in"), "M8 3v10M3 8h10", () => app.chart?.zoom(1))}
      {tool(t("map.out"), "M3 8h10", () => app.chart?.zoom(-1))}
      {tool(t("map.fit"), "M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4", () => app.chart?.fit(true))}
      {tool(
        t("ruler.measure"),
        "M2 11 11 2l3 3-9 9zM5.500 7.500l1.500 1.500M8.500 4.500l1.500 1.500",
        () => void app.measure(),
        app.measuring,
      )}
      {mayWarn(app) &&
        tool(t("card.warn"), "M4 11V7a4 4 0 0 1 8 0v4l1.5 1.5h-11zM7 14.500h2", () => void app.navigation.go("watchdogs", "warn"))}
    </div>
  );
}
