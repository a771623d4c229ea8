// Draws tracks: a line with an edge, in the colours of the speed, with arrows in the direction of sailing and times along it. It is
// dashed where the ship was not heard for long, and to and from places of a receiver that lies.
import type { Labels } from "../labels";
import type { Palette } from "../palette";
import { bandOf, type Track } from "../track";
import { across, down, type Screen } from "./view";
import { wall } from "../text/clock";

/** Line is a track as the map shows it. */
export interface Line {
  track: Track;
  name: string; // at its beginning; empty for none
  strong: boolean; // the track of the ship that is selected
}

/** Cursor is a fix that the map points out. */
export interface Cursor {
  x: number; // metres of the projection
  y: number;
  text: string;
}

const gap = 20 * 60e3; // a longer silence is not a leg that was seen
const steps = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 7200].map((minutes) => minutes * 60e3);
const apart = { times: 90, arrows: 70 }; // pixels
const silent = 255; // the band of a leg that was not seen

// Legs are the corners of a track on the screen, without those that no pixel could show; band is that of the leg before the corner.
class Legs {
  x = new Float32Array(1024);
  y = new Float32Array(1024);
  band = new Uint8Array(1024);
  count = 0;

  take(s: Screen, t: Track): void {
    this.count = 0;
    let last = 0;
    for (let i = 0; i < t.count; i++) {
      const x = across(s, t.x[i]),
        y = down(s, t.y[i]),
        k = this.count - 1;
      const jump = i > 0 && (t.time[i] - t.time[i - 1] > gap || t.lie[i] + t.lie[i - 1] > 0);
      const band = jump ? silent : bandOf(t.sog[i]);
      const tiny = k >= 0 && Math.abs(x - this.x[k]) < 1.5 && Math.abs(y - this.y[k]) < 1.5;
      if (tiny && !jump && band === last && i < t.count - 1) continue;
      last = band;
      this.put(x, y, band);
    }
  }

  private put(x: number, y: number, band: number): void {
    if (this.count === this.x.length) {
      const larger = <T extends Float32Array | Uint8Array>(of: T, next: T): T => {
        next.set(of as never);
        return next;
      };
      this.x = larger(this.x, new Float32Array(2 * this.count));
      this.y = larger(this.y, new Float32Array(2 * this.count));
      this.band = larger(this.band, new Uint8Array(2 * this.count));
    }
    this.x[this.count] = x;
    this.y[this.count] = y;
    this.band[this.count++] = band;
  }

  // path makes the path of the legs that are wanted.
  path(c: CanvasRenderingContext2D, wanted: (band: number) => boolean): void {
    c.beginPath();
    let open = false;
    for (let k = 1; k < this.count; k++) {
      if (!wanted(this.band[k])) {
        open = false;
        continue;
      }
      if (!open) c.moveTo(this.x[k - 1], this.y[k - 1]);
      c.lineTo(this.x[k], this.y[k]);
      open = true;
    }
  }
}

const legs = new Legs();

/** drawTrack draws one track; its times may lie upon symbols, the boxes of labels before first. */
export function drawTrack(
  c: CanvasRenderingContext2D,
  s: Screen,
  p: Palette,
  { track, name, strong }: Line,
  labels: Labels,
  first: number,
): void {
  if (track.count < 2) return;
  legs.take(s, track);
  c.lineJoin = c.lineCap = "round";
  const width = (strong ? 2.5 : 2) * s.ratio;
  legs.path(c, (band) => band !== silent);
  c.strokeStyle = p.halo;
  c.lineWidth = width + 2.5 * s.ratio;
  c.stroke();
  c.lineWidth = width;
  p.speed.forEach((colour, band) => {
    legs.path(c, (each) => each === band);
    c.strokeStyle = colour;
    c.stroke();
  });
  c.lineCap = "butt";
  c.setLineDash([2 * s.ratio, 5 * s.ratio]);
  c.lineWidth = 1.5 * s.ratio;
  legs.path(c, (band) => band === silent);
  c.strokeStyle = p.track;
  c.stroke();
  c.setLineDash([]);
  arrows(c, s, p);
  times(c, s, p, track, labels, first);
  if (name !== "") start(c, s, p, track, name, labels, first);
}

// arrows shows along the line where the ship sailed to.
function arrows(c: CanvasRenderingContext2D, s: Screen, p: Palette): void {
  const each = apart.arrows * s.ratio,
    r = 5 * s.ratio;
  let along = each / 2;
  for (let k = 1; k < legs.count; k++) {
    const dx = legs.x[k] - legs.x[k - 1],
      dy = legs.y[k] - legs.y[k - 1],
      length = Math.hypot(dx, dy);
    if (legs.band[k] === silent || length === 0) continue;
    for (; along < length; along += each) {
      const x = legs.x[k - 1] + (dx * along) / length,
        y = legs.y[k - 1] + (dy * along) / length;
      if (x < 0 || y < 0 || x > s.width || y > s.height) continue;
      const ux = dx / length,
        uy = dy / length;
      c.beginPath();
      c.moveTo(x + ux * r, y + uy * r);
      c.lineTo(x - ux * r - uy * 0.8 * r, y - uy * r + ux * 0.8 * r);
      c.lineTo(x - ux * r + uy * 0.8 * r, y - uy * r - ux * 0.8 * r);
      c.closePath();
      c.strokeStyle = p.halo;
      c.lineWidth = 1.5 * s.ratio;
      c.stroke();
      c.fillStyle = p.speed[legs.band[k]];
      c.fill();
    }
    along -= length;
  }
}

// step is the interval that puts the times some pixels apart.
function step(s: Screen, t: Track): number {
  let length = 0;
  for (let i = 1; i < t.count; i++) length += Math.hypot(t.x[i] - t.x[i - 1], t.y[i] - t.y[i - 1]);
  const wanted = Math.max(1, length / s.resolution / apart.times);
  const span = t.time[t.count - 1] - t.time[0];
  return steps.find((each) => span / each <= wanted) ?? steps[steps.length - 1];
}

// timeText is the time of a mark: with the date where that is another than that of the mark before.
function timeText(mark: number, before: number): string {
  const text = wall(mark),
    time = text.slice(11, 16);
  if (wall(before).slice(0, 10) === text.slice(0, 10)) return time;
  return time === "00:00" ? text.slice(5, 10) : `${text.slice(5, 10)} ${time}`;
}

function times(c: CanvasRenderingContext2D, s: Screen, p: Palette, t: Track, labels: Labels, first: number): void {
  const each = step(s, t);
  let before = t.time[t.count - 1]; // a track of one day has no dates
  if (wall(t.time[0]).slice(0, 10) !== wall(before).slice(0, 10)) before = 0;
  for (let i = 1; i < t.count; i++) {
    const mark = Math.floor(t.time[i] / each);
    if (mark === Math.floor(t.time[i - 1] / each)) continue;
    const x = across(s, t.x[i]),
      y = down(s, t.y[i]);
    if (x < 0 || y < 0 || x > s.width || y > s.height) continue;
    c.fillStyle = p.track;
    c.beginPath();
    c.arc(x, y, 3 * s.ratio, 0, 7);
    c.fill();
    if (word(c, s, p.track, p.halo, x, y, timeText(mark * each, before), labels, first)) before = mark * each;
  }
}

// word writes a word beside a place where there is room for it.
function word(
  c: CanvasRenderingContext2D,
  s: Screen,
  ink: string,
  halo: string,
  x: number,
  y: number,
  text: string,
  labels: Labels,
  first: number,
): boolean {
  c.font = `${10.5 * s.ratio}px system-ui, sans-serif`;
  c.textBaseline = "middle";
  const left = x + 7 * s.ratio,
    w = c.measureText(text).width;
  if (!labels.place(left - 2, y - 7 * s.ratio, left + w + 2, y + 7 * s.ratio, first)) return false;
  c.strokeStyle = halo;
  c.lineWidth = 3 * s.ratio;
  c.strokeText(text, left, y);
  c.fillStyle = ink;
  c.fillText(text, left, y);
  return true;
}

// start marks the first fix with the name of the ship.
function start(c: CanvasRenderingContext2D, s: Screen, p: Palette, t: Track, name: string, labels: Labels, first: number): void {
  const x = across(s, t.x[0]),
    y = down(s, t.y[0]);
  c.strokeStyle = p.track;
  c.lineWidth = 2 * s.ratio;
  c.beginPath();
  c.arc(x, y, 4 * s.ratio, 0, 7);
  c.stroke();
  word(c, s, p.text, p.halo, x, y, name, labels, first);
}

/** drawCursor points out a fix, with its time and speed upon all else. */
export function drawCursor(c: CanvasRenderingContext2D, s: Screen, p: Palette, at: Cursor): void {
  const x = across(s, at.x),
    y = down(s, at.y);
  for (const [colour, width] of [
    [p.halo, 5],
    [p.selected, 2.5],
  ] as const) {
    c.strokeStyle = colour;
    c.lineWidth = width * s.ratio;
    c.beginPath();
    c.arc(x, y, 8 * s.ratio, 0, 7);
    c.stroke();
  }
  c.font = `600 ${11.5 * s.ratio}px system-ui, sans-serif`;
  c.textBaseline = "middle";
  const w = c.measureText(at.text).width,
    left = x + 14 * s.ratio + w < s.width ? x + 14 * s.ratio : x - 14 * s.ratio - w;
  c.strokeStyle = p.halo;
  c.lineWidth = 4 * s.ratio;
  c.strokeText(at.text, left, y);
  c.fillStyle = p.text;
  c.fillText(at.text, left, y);
}
