import type { App } from "../app";
import { stamp, wall, zone } from "../text/clock";
import { t } from "../text/text";
import type { Track } from "./track";
import { trendOf, type Edge } from "./trend";
import { trendText } from "./words";

const edge: Edge = { width: 308, height: 132, left: 40, top: 8, right: 8, bottom: 20 };

/** Drawing shows how the ETA of a track moved: a line, with the range as a band around it. */
export function Drawing({ app, track }: { app: App; track: Track }) {
  const now = app.picture.now(),
    minute = Math.floor(now / 60e3) * 60e3;
  const ahead = Date.parse(wall(minute) + "Z") - minute,
    trend = trendOf(track.history, track.stale ? 0 : minute, edge, ahead);
  const text = trendText(track.history, now);
  if (!trend) return <p class="quiet">{text}</p>;
  const days = new Set(trend.up.map(({ time }) => wall(time).slice(0, 10))).size > 1;
  return (
    <figure>
      <figcaption>
        {t("tracked.trend")} <span class="quiet">{t("tracked.trendAcross", { zone: zone(now) })}</span>
      </figcaption>
      <svg class="trend" viewBox={`0 0 ${edge.width} ${edge.height}`} role="img" aria-label={text}>
        {trend.up.map(({ at, time }) => (
          <g key={time}>
            <path class="rule" d={`M${edge.left} ${at}H${edge.width - edge.right}`} />
            <text x={edge.left - 5} y={at + 3.5} text-anchor="end">
              {days ? `${wall(time).slice(8, 10)}. ${wall(time).slice(11, 13)} h` : wall(time).slice(11, 16)}
            </text>
          </g>
        ))}
        {trend.across.map(({ at, time }) => (
          <g key={time}>
            <path class="rule" d={`M${at} ${edge.top}V${edge.height - edge.bottom}`} />
            <text x={Math.max(edge.left + 12, Math.min(edge.width - 18, at))} y={edge.height - 6} text-anchor="middle">
              {stamp(time, time, false)}
            </text>
          </g>
        ))}
        {trend.band && <path class="band" d={trend.band} />}
        <path class="line" d={trend.line} />
      </svg>
    </figure>
  );
}
