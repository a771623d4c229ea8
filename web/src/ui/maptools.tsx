import type { App } from "../app";
import { t } from "../text/text";
import { mayWarn } from "../watchdogs/may";
import { Icon } from "./icon";

/** MapTools are the buttons upon the map. */
export function MapTools({ app }: { app: App }) {
  const tool = (word: string, d: string, act: () => void) => (
    <button aria-label={word} title={word} onClick={act}>
      <Icon d={d} />
    </button>
  );
  return (
    <div class="maptools">
      {tool(t("map.in"), "M8 3v10M3 8h10", () => app.chart?.zoom(1))}
      {tool(t("map.out"), "M3 8h10", () => app.chart?.zoom(-1))}
      {tool(t("map.fit"), "M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4", () => app.chart?.fit(true))}
      {mayWarn(app) &&
        tool(t("card.warn"), "M4 11V7a4 4 0 0 1 8 0v4l1.5 1.5h-11zM7 14.500h2", () => void app.navigation.go("watchdogs", "warn"))}
    </div>
  );
}
