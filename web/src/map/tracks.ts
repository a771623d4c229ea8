// Draws the track: a line with a dark edge, dashed where the ship was not heard for long, and times along it.
import type { Labels } from "../labels";
import type { Palette } from "../palette";
import type { Track } from "../track";
import { across, down, type Screen } from "./view";

const gap = 20 * 60e3; // a longer silence is not a leg that was seen
const steps = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440].map((minutes) => minutes * 60e3);

function line(c: CanvasRenderingContext2D, s: Screen, t: Track, silent: boolean): void {
  c.beginPath();
  let x0 = NaN,
    y0 = NaN,
    open = false;
  for (let i = 0; i < t.count; i++) {
    const x = across(s, t.x[i]),
      y = down(s, t.y[i]);
    const jump = i > 0 && t.time[i] - t.time[i - 1] > gap;
    if (silent) {
      if (jump) {
        c.moveTo(x0, y0);
        c.lineTo(x, y);
      }
    } else if (i === 0 || jump) {
      c.moveTo(x, y);
      open = true;
    } else if (open && i < t.count - 1 && Math.abs(x - x0) < 1 && Math.abs(y - y0) < 1) {
      continue; // nothing that a pixel could show
    } else c.lineTo(x, y);
    x0 = x;
    y0 = y;
  }
  c.stroke();
}

/** drawTrack draws the line and its times; these may lie upon symbols, the boxes of labels before first. */
export function drawTrack(c: CanvasRenderingContext2D, s: Screen, p: Palette, t: Track, labels: Labels, first: number): void {
  c.lineJoin = "round";
  for (const [colour, width] of [
    [p.halo, 4],
    [p.track, 2],
  ] as const) {
    c.strokeStyle = colour;
    c.lineWidth = width * s.ratio;
    line(c, s, t, false);
  }
  c.setLineDash([2 * s.ratio, 5 * s.ratio]);
  c.lineWidth = 1.5 * s.ratio;
  line(c, s, t, true);
  c.setLineDash([]);
  times(c, s, p, t, labels, first);
}

// step is the interval that puts the times about 90 pixels apart.
function step(s: Screen, t: Track): number {
  let length = 0;
  for (let i = 1; i < t.count; i++) length += Math.hypot(t.x[i] - t.x[i - 1], t.y[i] - t.y[i - 1]);
  const wanted = Math.max(1, length / s.resolution / 90);
  const span = t.time[t.count - 1] - t.time[0];
  return steps.find((each) => span / each <= wanted) ?? steps[steps.length - 1];
}

function times(c: CanvasRenderingContext2D, s: Screen, p: Palette, t: Track, labels: Labels, first: number): void {
  if (t.count < 2) return;
  const each = step(s, t);
  c.font = `${10.5 * s.ratio}px system-ui, sans-serif`;
  c.textBaseline = "middle";
  c.lineWidth = 3 * s.ratio;
  for (let i = 1; i < t.count; i++) {
    const mark = Math.floor(t.time[i] / each);
    if (mark === Math.floor(t.time[i - 1] / each)) continue;
    const x = across(s, t.x[i]),
      y = down(s, t.y[i]);
    if (x < 0 || y < 0 || x > s.width || y > s.height) continue;
    const text = new Date(mark * each).toISOString().slice(11, 16);
    const w = c.measureText(text).width;
    c.fillStyle = p.track;
    c.beginPath();
    c.arc(x, y, 3 * s.ratio, 0, 7);
    c.fill();
    const left = x + 7 * s.ratio;
    if (!labels.place(left - 2, y - 7 * s.ratio, left + w + 2, y + 7 * s.ratio, first)) continue;
    c.strokeStyle = p.halo;
    c.strokeText(text, left, y);
    c.fillText(text, left, y);
  }
}
