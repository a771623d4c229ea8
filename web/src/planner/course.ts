// Course is the plan and its way on the map: the line, its stops, and what a pointer can do with them. It knows pixels and
// places, nothing of OpenLayers, so that its tests need no browser.
import type { ListedPort } from "../contract";
import { placeAt } from "../map/pen";
import type { Overlay } from "../map/tool";
import { world, type Screen } from "../map/view";
import type { Palette } from "../palette";
import { mercatorX, mercatorY } from "../picture";
import { normal, type Place } from "../geometry";
import type { Ship } from "../ship";
import { corners, type Answer } from "./answer";
import { letterOf, stopsOf } from "./plan";
import { portOf, type Planner } from "./planner";

const most = 85.05; // degrees of latitude on the map
const reach = { stop: [13, 26], line: [7, 16] }; // pixels for a mouse and for a finger
const apart = 4; // pixels that a pointer moves before a line is bent

// Path is a line in metres of the projection: x goes on beyond the date line.
interface Path {
  of: Answer;
  xs: Float64Array;
  ys: Float64Array;
  corners: number[];
}

const pathOf = (of: Answer): Path => ({
  of,
  xs: Float64Array.from(of.line, ([lon]) => mercatorX(lon)),
  ys: Float64Array.from(of.line, ([, lat]) => mercatorY(Math.max(-most, Math.min(most, lat)))),
  corners: corners(of),
});

/** Mark is a stop on the map, in metres of the projection. */
interface Mark {
  i: number;
  x: number;
  y: number;
}

export class Course implements Overlay {
  private path?: Path;
  private detour?: Path; // the way that would be with nothing closed
  private held?: { stop: number } | { before: number; x: number; y: number };
  private over?: { x: number; y: number }; // the pointer upon the line, in CSS pixels

  constructor(private readonly planner: Planner) {}

  /** aims is true while a stop is empty: a click fills it. */
  get aims(): boolean {
    return this.planner.wanted >= 0;
  }

  // ---- where things are ------------------------------------------------------------------------------------------

  private line(): Path | undefined {
    const { answer } = this.planner;
    if (this.path?.of !== answer) this.path = answer && pathOf(answer);
    return this.path;
  }

  /** marks are the stops that have a place: beside the line, where there is one, else beside each other. */
  marks(): Mark[] {
    const line = this.line();
    const stops = stopsOf(this.planner.plan);
    let last: number | undefined;
    return stops.flatMap((stop, i) => {
      const at = stop && this.planner.placeOf(stop);
      if (!at) return [];
      const corner = line && line.corners[i === stops.length - 1 ? line.corners.length - 1 : Math.min(i, line.corners.length - 1)];
      const beside: number | undefined = corner === undefined ? last : line!.xs[corner];
      let x = mercatorX(at[0]);
      if (beside !== undefined) x += Math.round((beside - x) / world) * world;
      last = x;
      return [{ i, x, y: mercatorY(Math.max(-most, Math.min(most, at[1]))) }];
    });
  }

  // copies returns by how many metres the plan is shifted: once for each copy of the world that the screen shows.
  private copies(s: Screen, marks: Mark[]): number[] {
    const line = this.line(),
      half = (s.width / s.ratio / 2 + 30) * s.resolution;
    let west = Infinity,
      east = -Infinity;
    for (const x of [...(line?.xs ?? []), ...marks.map((m) => m.x)]) {
      west = Math.min(west, x);
      east = Math.max(east, x);
    }
    const out: number[] = [];
    if (west > east) return out;
    for (let k = Math.ceil((s.x - half - east) / world); k <= (s.x + half - west) / world; k++) out.push(k * world);
    return out;
  }

  private stopAt(s: Screen, x: number, y: number, touch: boolean): number {
    const marks = this.marks();
    let best = -1,
      least: number = reach.stop[Number(touch)];
    for (const shift of this.copies(s, marks)) {
      for (const mark of marks) {
        const d = Math.hypot(px(s, mark.x + shift) - x, py(s, mark.y) - y);
        if (d >= least) continue;
        least = d;
        best = mark.i;
      }
    }
    return best;
  }

  // legAt returns the stop at the end of the part of the line that is under a pixel; -1 for none.
  private legAt(s: Screen, x: number, y: number, touch: boolean): number {
    const line = this.line();
    if (!line || line.xs.length < 2) return -1;
    let at = -1,
      least: number = reach.line[Number(touch)];
    for (const shift of this.copies(s, [])) {
      for (let i = 1; i < line.xs.length; i++) {
        const d = toSegment(x, y, px(s, line.xs[i - 1] + shift), py(s, line.ys[i - 1]), px(s, line.xs[i] + shift), py(s, line.ys[i]));
        if (d >= least) continue;
        least = d;
        at = i;
      }
    }
    if (at < 0) return -1;
    const leg = line.corners.findIndex((corner, k) => k > 0 && at <= corner);
    return Math.max(1, Math.min(leg, this.planner.plan.via.length + 1));
  }

  // ---- the pointer -----------------------------------------------------------------------------------------------

  down(s: Screen, x: number, y: number, touch: boolean): boolean {
    const stop = this.stopAt(s, x, y, touch),
      before = stop < 0 ? this.legAt(s, x, y, touch) : -1;
    this.held = stop >= 0 ? { stop } : before >= 0 ? { before, x, y } : undefined;
    this.over = undefined;
    return this.held !== undefined;
  }

  drag(s: Screen, x: number, y: number): void {
    const { held, planner } = this;
    if (!held) return;
    const [lon, lat] = placeAt(s, x, y),
      at: Place = [lon, Math.max(-85, Math.min(85, lat))];
    if ("stop" in held) return planner.move(held.stop, at);
    if (Math.hypot(x - held.x, y - held.y) < apart) return;
    planner.bend(held.before, at);
    this.held = planner.held === held.before ? { stop: held.before } : undefined;
  }

  up(): void {
    this.held = undefined;
    this.planner.drop();
  }

  move(s: Screen, x: number, y: number): boolean {
    const stop = this.stopAt(s, x, y, false) >= 0,
      line = !stop && !this.aims && this.legAt(s, x, y, false) >= 0,
      was = this.over;
    this.over = line ? { x, y } : undefined;
    if (this.over || was) this.planner.redraw();
    return stop || line;
  }

  click(s: Screen, x: number, y: number, touch: boolean, ship: Ship | undefined, port?: ListedPort): boolean {
    const { planner } = this,
      stop = this.stopAt(s, x, y, touch);
    if (stop >= 0) {
      planner.choose(stop);
      return true;
    }
    if (!this.aims) return false;
    const [lon, lat] = placeAt(s, x, y);
    if (ship?.lon !== undefined) planner.put(planner.wanted, { kind: "ship", mmsi: ship.mmsi });
    else if (port) planner.put(planner.wanted, portOf(port));
    else planner.put(planner.wanted, { kind: "place", at: [Number(normal(lon).toFixed(5)), Number(lat.toFixed(5))] });
    return true;
  }

  // ---- drawing ---------------------------------------------------------------------------------------------------

  /** paintLow draws the way, and dashed the one that would be with nothing closed. */
  paintLow(c: CanvasRenderingContext2D, s: Screen, p: Palette): void {
    const line = this.line(),
      { open, held } = this.planner;
    if (this.detour?.of !== open) this.detour = open && pathOf(open);
    if (this.detour && held < 0) this.stroke(c, s, this.detour, [[p.track, 1.5]], [3, 5]);
    if (line)
      this.stroke(
        c,
        s,
        line,
        [
          [p.halo, 6],
          [p.track, 3],
        ],
        [],
      );
  }

  private stroke(c: CanvasRenderingContext2D, s: Screen, path: Path, inks: [string, number][], dash: number[]): void {
    c.lineJoin = "round";
    c.lineCap = dash.length > 0 ? "butt" : "round";
    c.setLineDash(dash.map((each) => each * s.ratio));
    for (const shift of this.copies(s, [])) {
      c.beginPath();
      for (let i = 0; i < path.xs.length; i++) c.lineTo(px(s, path.xs[i] + shift) * s.ratio, py(s, path.ys[i]) * s.ratio);
      for (const [ink, width] of inks) {
        c.strokeStyle = ink;
        c.lineWidth = width * s.ratio;
        c.stroke();
      }
    }
    c.setLineDash([]);
  }

  /** paintHigh draws the stops, with their letters. */
  paintHigh(c: CanvasRenderingContext2D, s: Screen, p: Palette): void {
    const marks = this.marks();
    for (const shift of this.copies(s, marks)) {
      this.rubber(c, s, p, marks, shift);
      for (const mark of marks) this.mark(c, s, p, mark, shift);
    }
    if (!this.over) return;
    c.beginPath();
    c.arc(this.over.x * s.ratio, this.over.y * s.ratio, 6 * s.ratio, 0, 7);
    ring(c, s, p.halo, p.track);
  }

  // rubber joins what is dragged to the stops beside it, until the way is known.
  private rubber(c: CanvasRenderingContext2D, s: Screen, p: Palette, marks: Mark[], shift: number): void {
    const at = marks.findIndex((m) => m.i === this.planner.held);
    if (at < 0) return;
    c.beginPath();
    for (const m of marks.slice(Math.max(0, at - 1), at + 2)) c.lineTo(px(s, m.x + shift) * s.ratio, py(s, m.y) * s.ratio);
    c.setLineDash([4 * s.ratio, 4 * s.ratio]);
    c.strokeStyle = p.text;
    c.lineWidth = 1.25 * s.ratio;
    c.stroke();
    c.setLineDash([]);
  }

  private mark(c: CanvasRenderingContext2D, s: Screen, p: Palette, { i, x, y }: Mark, shift: number): void {
    const { planner } = this,
      left = px(s, x + shift) * s.ratio,
      top = py(s, y) * s.ratio,
      end = i === 0 || i > planner.plan.via.length;
    c.beginPath();
    c.arc(left, top, (end ? 11 : 9) * s.ratio, 0, 7);
    if (planner.chosen === i && !planner.adding) ring(c, s, p.selected, p.halo);
    else ring(c, s, p.track, p.halo);
    c.font = `700 ${(end ? 12 : 10.5) * s.ratio}px system-ui, sans-serif`;
    c.textBaseline = "middle";
    c.textAlign = "center";
    c.fillStyle = p.halo;
    c.fillText(letterOf(planner.plan, i), left, top + 0.5 * s.ratio);
    c.textAlign = "start";
  }
}

function ring(c: CanvasRenderingContext2D, s: Screen, fill: string, edge: string): void {
  c.fillStyle = fill;
  c.fill();
  c.strokeStyle = edge;
  c.lineWidth = 2 * s.ratio;
  c.stroke();
}

// px and py give the pixel of a place of the projection, in CSS pixels.
const px = (s: Screen, x: number): number => (x - s.x) / s.resolution + s.width / s.ratio / 2;
const py = (s: Screen, y: number): number => (s.y - y) / s.resolution + s.height / s.ratio / 2;

function toSegment(x: number, y: number, ax: number, ay: number, bx: number, by: number): number {
  const long = (bx - ax) ** 2 + (by - ay) ** 2,
    part = long === 0 ? 0 : Math.max(0, Math.min(1, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / long));
  return Math.hypot(ax + (bx - ax) * part - x, ay + (by - ay) * part - y);
}
