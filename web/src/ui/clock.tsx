import type { App } from "../app";
import { besideUTC, wall, when, zone } from "../text/clock";
import { number, t } from "../text/text";

// speedText says how fast the time of the picture runs: nothing at the speed of the clock, and no figure where it leaps.
function speedText(speed: number): string {
  if (Math.abs(speed - 1) < 0.15) return "";
  if (speed < 0.05) return ` ${t("clock.stopped")}`;
  return speed < 1000 ? ` ×${number(speed, speed < 9.5 ? 1 : 0)}` : "";
}

/** Clock is the time of the picture, and says when that is not live. */
export function Clock({ app }: { app: App }) {
  const now = app.picture.now(),
    iso = new Date(now).toISOString(),
    text = wall(now),
    past = app.feeds.past(),
    stored = app.stored && when(app.stored.newest, now, false);
  return (
    <p class={past || stored ? "clock notlive" : "clock"}>
      <time dateTime={iso}>
        <span class="date">{text.slice(0, 10)} </span>
        {text.slice(11, 16)}
        <span class="seconds">{text.slice(16, 19)}</span>
      </time>{" "}
      <abbr>{zone(now)}</abbr>
      {besideUTC(now) && <span class="date"> {iso.slice(11, 16)} UTC</span>}
      {past && (
        <span class="past" title={t("clock.pastMore")}>
          {t("clock.past")}
          {past.speed !== undefined && speedText(past.speed)}
        </span>
      )}
      {!past && stored && (
        <span class="past" title={t("clock.stored", { time: stored })}>
          {t("clock.past")}
        </span>
      )}
    </p>
  );
}
