import type { Ship } from "../ship";
import { size } from "../text/figures";
import { number, t } from "../text/text";

/** Hull draws the ship to scale from above, bow to the right, with the antenna and the four measures that AIS gives. */
export function Hull({ ship }: { ship: Ship }) {
  const { length, width } = ship;
  if (!length || !width) return null;
  const placed = (ship.dim_a ?? 0) + (ship.dim_b ?? 0) > 0 && (ship.dim_c ?? 0) + (ship.dim_d ?? 0) > 0 && (ship.dim_a ?? 0) > 0;
  const scale = Math.min(230 / length, 64 / width);
  const l = length * scale,
    w = width * scale,
    x0 = 25 + (230 - l) / 2,
    y0 = 22,
    bend = l - Math.min(l * 0.22, w * 1.1);
  const shoulder = x0 + bend,
    curve = x0 + (bend + l) / 2,
    stern = y0 + w;
  const path = `M${x0} ${y0} H${shoulder} Q${curve} ${y0} ${x0 + l} ${y0 + w / 2} Q${curve} ${stern} ${shoulder} ${stern} H${x0} Z`;
  const ax = x0 + (ship.dim_b ?? 0) * scale,
    ay = y0 + (ship.dim_c ?? 0) * scale,
    bottom = y0 + w + 16;
  return (
    <figure class="hull">
      <figcaption>{t("card.hull")}</figcaption>
      <svg viewBox={`0 0 280 ${w + 46}`} role="img" aria-label={size(length, width)}>
        <path class="shape" d={path} />
        <text x={x0 + l / 2} y={14} text-anchor="middle">
          {number(length)}
        </text>
        <path class="measure" d={`M${x0} 18 H${x0 + l}`} />
        <text x={8} y={y0 + w / 2 + 4} text-anchor="start">
          {number(width)}
        </text>
        {placed && (
          <>
            <path class="measure" d={`M${x0} ${y0 + w + 5} H${x0 + l} M${ax} ${y0 + w + 2} v6`} />
            <path class="measure cross" d={`M${ax} ${y0} V${y0 + w}`} />
            <circle class="antenna" cx={ax} cy={ay} r="3.5" />
            <text x={(x0 + ax) / 2} y={bottom + 3} text-anchor="middle">
              {ship.dim_b}
            </text>
            <text x={(ax + x0 + l) / 2} y={bottom + 3} text-anchor="middle">
              {ship.dim_a}
            </text>
            <text x={272} y={y0 + 8} text-anchor="end">
              {ship.dim_c}
            </text>
            <text x={272} y={y0 + w + 2} text-anchor="end">
              {ship.dim_d}
            </text>
          </>
        )}
      </svg>
    </figure>
  );
}
