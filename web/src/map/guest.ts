// Draws the frame around what is selected, and a ship that is not in the picture at its last place.
import type { Labels } from "../labels";
import type { Palette } from "../palette";
import { mercatorX, mercatorY } from "../picture";
import { title, type Ship } from "../ship";
import { across, down, type Screen } from "./view";

/** drawFrame draws the corners of a square around x, y; r is half its side. */
export function drawFrame(c: CanvasRenderingContext2D, p: Palette, x: number, y: number, r: number, width: number): void {
  const arm = r * 0.45;
  c.strokeStyle = p.selected;
  c.lineWidth = width;
  c.beginPath();
  for (const [sx, sy] of [
    [-1, -1],
    [1, -1],
    [1, 1],
    [-1, 1],
  ]) {
    c.moveTo(x + sx * r, y + sy * (r - arm));
    c.lineTo(x + sx * r, y + sy * r);
    c.lineTo(x + sx * (r - arm), y + sy * r);
  }
  c.stroke();
}

/** drawGuest draws the ship, which is the selected one, as a crossed ring; its name may lie upon symbols, the boxes of labels before first. */
export function drawGuest(c: CanvasRenderingContext2D, s: Screen, p: Palette, ship: Ship, labels: Labels, first: number): void {
  if (ship.lon === undefined || ship.lat === undefined) return;
  const x = across(s, mercatorX(ship.lon)),
    y = down(s, mercatorY(ship.lat)),
    r = 7 * s.ratio;
  c.lineWidth = 2 * s.ratio;
  c.fillStyle = p.halo;
  c.strokeStyle = p.lost;
  c.beginPath();
  c.arc(x, y, r, 0, 7);
  c.fill();
  c.moveTo(x - 0.7 * r, y + 0.7 * r);
  c.lineTo(x + 0.7 * r, y - 0.7 * r);
  c.stroke();
  drawFrame(c, p, x, y, 14 * s.ratio, 2.5 * s.ratio);
  c.font = `${11 * s.ratio}px system-ui, sans-serif`;
  c.textBaseline = "middle";
  const text = title(ship),
    left = labels.beside(x, y, 16 * s.ratio, c.measureText(text).width, r, first);
  if (left === undefined) return;
  c.strokeStyle = p.halo;
  c.lineWidth = 3 * s.ratio;
  c.strokeText(text, left, y);
  c.fillStyle = p.lost;
  c.fillText(text, left, y);
}
