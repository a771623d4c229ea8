import type { App } from "../app";
import { t } from "../text/text";

/** MapTools are the buttons upon the map. */
export function MapTools({ app }: { app: App }) {
  return (
    <div class="maptools">
      <button aria-label={t("map.in")} title={t("map.in")} onClick={() => app.chart?.zoom(1)}>
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M8 3v10M3 8h10" />
        </svg>
      </button>
      <button aria-label={t("map.out")} title={t("map.out")} onClick={() => app.chart?.zoom(-1)}>
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M3 8h10" />
        </svg>
      </button>
      <button aria-label={t("map.fit")} title={t("map.fit")} onClick={() => app.chart?.fit(true)}>
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4" />
        </svg>
      </button>
    </div>
  );
}
