// Draws the places of alarms: a ring with a cross, as IMO SN.1/Circ.243 has it for an AIS-SART. It fades with no age and heeds no filter.
import type { Alarm } from "../distress/alarm";
import type { Labels } from "../labels";
import type { Palette } from "../palette";
import { mercatorX, mercatorY } from "../picture";
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
  const named = new Set<number>();
  for (const alarm of alarms) {
    if (alarm.lon === undefined || alarm.lat === undefined) continue;
    const x = across(s, mercatorX(alarm.lon)),
      y = down(s, mercatorY(alarm.lat)),
      r = 11 * s.ratio;
    if (x < -r || y < -r || x > s.width + r || y > s.height + r) continue;
    const ink = alarm.test || alarm.seen ? p.text : p.group.distress;
    ring(c, x, y, r, p.halo, 6 * s.ratio);
    c.setLineDash(alarm.test ? [4 * s.ratio, 4 * s.ratio] : []);
    ring(c, x, y, r, ink, (alarm.seen ? 2 : 3.5) * s.ratio);
    c.setLineDash([]);
    if (name(c, s, p, alarm, x + r + 5 * s.ratio, y, ink, labels, first)) named.add(alarm.mmsi);
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

function name(
  c: CanvasRenderingContext2D,
  s: Screen,
  p: Palette,
  alarm: Alarm,
  x: number,
  y: number,
  ink: string,
  labels: Labels,
  first: number,
): boolean {
  const text = alarm.name ?? String(alarm.mmsi),
    half = 8 * s.ratio;
  c.font = `bold ${12 * s.ratio}px system-ui, sans-serif`;
  c.textBaseline = "middle";
  if (!labels.place(x - 2, y - half, x + c.measureText(text).width + 2, y + half, first)) return false;
  c.strokeStyle = p.halo;
  c.lineWidth = 4 * s.ratio;
  c.strokeText(text, x, y);
  c.fillStyle = ink;
  c.fillText(text, x, y);
  return true;
}
