// The graticule: in Mercator meridians and parallels are straight lines, so it needs no geometry, only a step that suits.
import type { Palette } from "../palette";
import { mercatorX, mercatorY } from "../picture";
import { minutes } from "../text/figures";
import { down, type Screen } from "./view";

const steps = [30, 20, 10, 5, 2, 1, 30 / 60, 20 / 60, 10 / 60, 5 / 60, 2 / 60, 1 / 60, 0.5 / 60, 0.2 / 60, 0.1 / 60]; // each a whole number of tenths of a minute, as they are written
const scale = (6378137 * Math.PI) / 180;

/** text writes degrees as ECDIS does: whole degrees, or degrees and minutes where the step is finer. */
function text(degrees: number, step: number, positive: string, negative: string): string {
  const sign = degrees < -1e-9 ? negative : degrees > 1e-9 ? positive : "";
  const all = Math.round(Math.abs(degrees) * 6000) / 100;
  const whole = Math.floor(all / 60 + 1e-9);
  if (step >= 1) return `${whole}°${sign}`;
  const rest = all - whole * 60;
  return `${whole}°${minutes(rest, (step * 60) % 1 === 0 || Number.isInteger(rest) ? 0 : 1)}${sign}`;
}

const wrapped = (lon: number): number => ((((lon + 180) % 360) + 360) % 360) - 180;

type Box = readonly [left: number, top: number, right: number, bottom: number];

/** drawGrid draws the graticule with its labels along the upper and the left edge, but for those beneath what is covered,
 * in CSS pixels, and those that would lie upon another. */
export function drawGrid(c: CanvasRenderingContext2D, s: Screen, p: Palette, covered: readonly Box[]): void {
  const taken = [...covered];
  const label = (words: string, x: number, y: number): void => {
    const left = x / s.ratio,
      bottom = y / s.ratio,
      right = left + c.measureText(words).width / s.ratio + 3;
    if (taken.some((b) => left < b[2] && right > b[0] && bottom - 10 < b[3] && bottom > b[1])) return;
    taken.push([left, bottom - 10, right, bottom]);
    c.fillText(words, x, y);
  };
  const degreesAcross = ((s.width / s.ratio) * s.resolution) / scale;
  const step = steps.find((d) => degreesAcross / d >= 4) ?? steps[steps.length - 1];
  const west = (s.x - ((s.width / 2) * s.resolution) / s.ratio) / scale;
  const latOf = (py: number): number =>
    (Math.atan(Math.sinh((s.y - ((py - s.height / 2) * s.resolution) / s.ratio) / 6378137)) * 180) / Math.PI;
  const [north, south] = [latOf(0), latOf(s.height)];
  c.strokeStyle = p.grid;
  c.fillStyle = p.gridText;
  c.lineWidth = Math.max(1, s.ratio * 0.75);
  c.font = `${10 * s.ratio}px system-ui, sans-serif`;
  c.beginPath();
  for (let k = Math.ceil(west / step); k * step <= west + degreesAcross; k++) {
    const x = Math.round(((mercatorX(k * step) - s.x) / s.resolution) * s.ratio + s.width / 2) + 0.5;
    c.moveTo(x, 0);
    c.lineTo(x, s.height);
    label(text(wrapped(k * step), step, "E", "W"), x + 3 * s.ratio, 11 * s.ratio);
  }
  for (let k = Math.ceil(south / step); k * step <= north; k++) {
    const y = Math.round(down(s, mercatorY(k * step))) + 0.5;
    c.moveTo(0, y);
    c.lineTo(s.width, y);
    if (y > 24 * s.ratio) label(text(k * step, step, "N", "S"), 4 * s.ratio, y - 3 * s.ratio);
  }
  c.stroke();
}
