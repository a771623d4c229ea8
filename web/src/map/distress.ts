// Draws the places of alarms: a ring with a cross, as IMO SN.1/Circ.243 has it for an AIS-SART. It fades with no age and heeds no filter.
import type { Alarm } from "../distress/alarm";
import type { Labels } from "../labels";
import type { Palette } from "../palette";
import { mercatorX, mercatorY } from "../picture";
import { title } from "../ship";
import { across, down, type Screen } from "./view";

/** drawAlarms draws all that have a place, and gives the numbers of those with a name on the map. Names may lie upon symbols, the boxes of
 * labels before first. */
export function drawAlarms(
  c: CanvasRenderingContext2D,
  s: Screen,
  p: Palette,
  alarms: readonly Alarm[],
  labels: Labels,
  first: number,
): Set<number> {
  const named = new Set<number>(),
    r = 11 * s.ratio,
    placed = alarms.flatMap((alarm) => {
      if (alarm.lon === undefined || alarm.lat === undefined) return [];
      const x = across(s, mercatorX(alarm.lon)),
        y = down(s, mercatorY(alarm.lat));
      return x < -r || y < -r || x > s.width + r || y > s.height + r ? [] : [{ alarm, x, y }];
    });
  for (const { x, y } of placed) labels.reserve(x - r, y - r, x + r, y + r);
  for (const { alarm, x, y } of placed) {
    const ink = alarm.test || alarm.seen ? p.text : p.group.distress;
    ring(c, x, y, r, p.halo, 6 * s.ratio);
    c.setLineDash(alarm.test ? [4 * s.ratio, 4 * s.ratio] : []);
    ring(c, x, y, r, ink, (alarm.seen ? 2 : 3.5) * s.ratio);
    c.setLineDash([]);
    if (name(c, s, p, alarm, x, y, r + 5 * s.ratio, ink, labels, first)) named.add(alarm.mmsi);
  }
  return named;
}

function ring(c: CanvasRenderingContext2D, x: number, y: number, r: number, ink: string, width: number): void {
  const d = r * Math.SQRT1_2;
  c.strokeStyle = ink;
  c.lineWidth = width;
  c.beginPath();
  c.arc(x, y, r, 0, 7);
  c.moveTo(x - d, y - d);
  c.lineTo(x + d, y + d);
  c.moveTo(x - d, y + d);
  c.lineTo(x + d, y - d);
  c.stroke();
}

// name puts the name of an alarm to the right of its place, else to the left; it tells whether there was room.
function name(
  c: CanvasRenderingContext2D,
  s: Screen,
  p: Palette,
  alarm: Alarm,
  x: number,
  y: number,
  beside: number,
  ink: string,
  labels: Labels,
  first: number,
): boolean {
  const text = title(alarm),
    half = 8 * s.ratio;
  c.font = `bold ${12 * s.ratio}px system-ui, sans-serif`;
  c.textBaseline = "middle";
  const left = labels.beside(x, y, beside, c.measureText(text).width, half, first);
  if (left === undefined) return false;
  c.strokeStyle = p.halo;
  c.lineWidth = 4 * s.ratio;
  c.strokeText(text, left, y);
  c.fillStyle = ink;
  c.fillText(text, left, y);
  return true;
}
