// ShapePainter draws the shapes on a canvas beneath the ships, and the form that the pen holds on one above them.
import { Labels } from "../labels";
import { palettes, type Palette, type PaletteName } from "../palette";
import { mercatorX, mercatorY } from "../picture";
import { bearing, boundsOf, complete, distance, middle, outline, wayRound, type Form, type Place } from "../geometry";
import { course, measured } from "../text/figures";
import { Harbours, portOf } from "./harbours";
import type { Grip, Pen } from "./pen";
import type { Overlay } from "./tool";
import { standard, tint } from "./tint";
import { down, world, type Screen } from "./view";

const mostDots = 600; // grips that are drawn one by one
/** MapShape is a shape as the map shows it. */
export interface MapShape {
  key: string;
  label: string;
  form: Form;
  colour: string;
  /** mark is a sign before the name, which stands also where there is no room for that. */
  mark?: string;
}

// Path is a shape ready to draw: its chains in metres of the projection.
interface Path {
  shape: MapShape;
  chains: Float64Array[];
  west: number;
  south: number;
  east: number;
  north: number;
  x: number;
  y: number;
  label: number;
}

function pathOf(shape: MapShape): Path | undefined {
  const chains = outline(shape.form),
    bounds = boundsOf(chains),
    at = middle(shape.form);
  if (!bounds || !at) return undefined;
  return {
    shape,
    label: 0,
    x: mercatorX(at[0]),
    y: mercatorY(at[1]),
    west: mercatorX(bounds[0]),
    south: mercatorY(bounds[1]),
    east: mercatorX(bounds[2]),
    north: mercatorY(bounds[3]),
    chains: chains.map((chain) => Float64Array.from(chain.flatMap(([lon, lat]) => [mercatorX(lon), mercatorY(lat)]))),
  };
}

export class ShapePainter {
  readonly canvas = document.createElement("canvas");
  readonly penCanvas = document.createElement("canvas");
  palette: PaletteName = "day";
  /** The shape that is chosen: drawn bolder, and with its name in any case. */
  chosen = "";
  /** The shape that the pen has in hand is not drawn twice. */
  penned = "";
  pen?: Pen;
  penColour = "";
  /** The boxes of the names in the last frame, in pixels of the canvas: left, top, right, bottom. */
  readonly names: [number, number, number, number][] = [];
  readonly harbours = new Harbours();
  private own: Path[] = [];
  private port: Path[] = [];
  private quays: Path[] = [];
  private readonly labels = new Labels();
  private readonly context: CanvasRenderingContext2D;

  constructor() {
    this.canvas.className = this.penCanvas.className = "shapes";
    this.context = this.canvas.getContext("2d")!;
  }

  /** show takes the shapes to draw, showPort the borders and berths of a port. */
  show(shapes: readonly MapShape[]): void {
    this.own = shapes.flatMap((one) => pathOf(one) ?? []);
  }

  showPort(shapes: readonly MapShape[]): void {
    this.port = shapes.flatMap((one) => pathOf(one) ?? []);
  }

  /** showQuays takes the quays of ports that are not open: they are drawn, and no click is theirs. */
  showQuays(shapes: readonly MapShape[]): void {
    this.quays = shapes.flatMap((one) => pathOf(one) ?? []);
  }

  private get paths(): Path[] {
    return [...this.port, ...this.own];
  }

  /** drawn tells which shapes the last frame shows, by key. */
  readonly drawn = new Set<string>();

  /** paint draws a frame; covered is what lies upon the map, in CSS pixels, overlay what is drawn over the shapes. It tells whether something may have been
   * drawn. */
  paint(s: Screen, covered: readonly [number, number, number, number][], overlay?: Overlay): boolean {
    fit(this.canvas, s);
    const c = this.context,
      p = palettes[this.palette];
    c.clearRect(0, 0, s.width, s.height);
    this.names.length = 0;
    this.drawn.clear();
    this.labels.begin(s.width, s.height);
    for (const box of covered) this.labels.reserve(box[0] * s.ratio, box[1] * s.ratio, box[2] * s.ratio, box[3] * s.ratio);
    const seen: [Path, number][] = [];
    const open = new Set(this.port.map(({ shape }) => shape.key));
    for (const path of [...this.quays.filter(({ shape }) => !open.has(shape.key)), ...this.paths]) {
      if (path.shape.key === this.penned) continue;
      for (const shift of copies(s, path)) {
        seen.push([path, shift]);
        this.fill(s, p, path, shift);
      }
    }
    seen.sort(([a], [b]) => Number(b.shape.key === this.chosen) - Number(a.shape.key === this.chosen)); // it is named first
    for (const [path, shift] of seen) this.name(s, p, path, shift);
    overlay?.paintLow(c, s, p);
    for (const box of overlay?.texts ?? []) {
      this.labels.reserve(...box);
      this.names.push(box);
    }
    this.harbours.paint(c, s, p, this.labels, this.names);
    return seen.length > 0 || overlay !== undefined || this.harbours.near;
  }

  /** paintPen draws what the pen holds, and what of overlays lies upon the ships. */
  paintPen(s: Screen, ...overlays: (Overlay | undefined)[]): void {
    const used = this.pen !== undefined || overlays.some((overlay) => overlay !== undefined);
    this.penCanvas.hidden = !used; // the browser puts an empty canvas together with the others too
    if (!used) return;
    fit(this.penCanvas, s);
    const c = this.penCanvas.getContext("2d")!;
    c.clearRect(0, 0, s.width, s.height);
    for (const overlay of overlays) overlay?.paintHigh(c, s, palettes[this.palette]);
    if (this.pen) drawPen(c, s, palettes[this.palette], this.pen, tint(this.penColour || standard, this.palette));
  }

  /** at returns the key of the shape at a place of the canvas in CSS pixels: the smallest one there, by its border or inside. */
  at(s: Screen, x: number, y: number, reach: number): string | undefined {
    const c = this.context,
      px = x * s.ratio,
      py = y * s.ratio;
    let best = this.harbours.at(x, y, reach / 2),
      smallest = best ? 0 : Infinity;
    for (const path of this.paths) {
      if (!this.drawn.has(path.shape.key)) continue;
      const size = (path.east - path.west) * (path.north - path.south) + 1;
      for (const shift of copies(s, path)) {
        this.trace(s, path, shift);
        c.lineWidth = 2 * reach * s.ratio;
        if (size < smallest && (c.isPointInStroke(px, py) || (path.shape.form.kind !== "line" && c.isPointInPath(px, py, "evenodd")))) {
          smallest = size;
          best = path.shape.key;
        }
      }
    }
    return best;
  }

  private trace(s: Screen, path: Path, shift: number): void {
    const c = this.context;
    c.beginPath();
    for (const chain of path.chains) {
      let x0 = NaN,
        y0 = NaN;
      for (let i = 0; i < chain.length; i += 2) {
        const x = ((chain[i] + shift - s.x) / s.resolution) * s.ratio + s.width / 2,
          y = down(s, chain[i + 1]);
        if (i === 0) c.moveTo(x, y);
        else if (i < chain.length - 2 && Math.abs(x - x0) < 1 && Math.abs(y - y0) < 1)
          continue; // nothing that a pixel could show
        else c.lineTo(x, y);
        x0 = x;
        y0 = y;
      }
    }
  }

  private fill(s: Screen, p: Palette, path: Path, shift: number): void {
    const c = this.context,
      colour = tint(path.shape.colour || standard, this.palette),
      chosen = path.shape.key === this.chosen;
    this.trace(s, path, shift);
    c.lineJoin = "round";
    if (path.shape.form.kind !== "line") {
      c.globalAlpha = chosen ? 0.2 : 0.1;
      c.fillStyle = colour;
      c.fill("evenodd");
      c.globalAlpha = 1;
    }
    if (chosen) {
      c.strokeStyle = p.halo;
      c.lineWidth = 6 * s.ratio;
      c.stroke();
    }
    c.strokeStyle = colour;
    c.lineWidth = (chosen ? 3 : 1.75) * s.ratio;
    c.stroke();
    this.drawn.add(path.shape.key);
  }

  private name(s: Screen, p: Palette, path: Path, shift: number): void {
    const { label, mark } = path.shape;
    if (!this.write(s, p, path, shift, mark ? `${mark} ${label}` : label) && mark) this.write(s, p, path, shift, mark);
  }

  // write puts a text where the name of a shape stands, and tells whether there was room for it. A mark needs little.
  private write(s: Screen, p: Palette, path: Path, shift: number, label: string): boolean {
    const c = this.context,
      chosen = path.shape.key === this.chosen,
      brief = label === path.shape.mark;
    const wide = ((path.east - path.west) / s.resolution) * s.ratio,
      high = ((path.north - path.south) / s.resolution) * s.ratio;
    if (label === "" || (!chosen && !brief && Math.max(wide, high) < (portOf(path.shape.key) ? 5 : 28) * s.ratio)) return false;
    c.font = `600 ${11 * s.ratio}px system-ui, sans-serif`;
    c.textBaseline = "middle";
    c.lineJoin = "round";
    if (path.label === 0 && !brief) path.label = c.measureText(label).width / s.ratio;
    const w = brief ? c.measureText(label).width : path.label * s.ratio,
      h = 8 * s.ratio;
    const x = ((path.x + shift - s.x) / s.resolution) * s.ratio + s.width / 2,
      y = down(s, path.y) - (path.shape.form.kind === "line" ? 10 * s.ratio : 0);
    const box: [number, number, number, number] = [x - w / 2 - 2, y - h, x + w / 2 + 2, y + h];
    if (!this.labels.place(...box)) return false;
    this.names.push(box);
    c.strokeStyle = p.halo;
    c.lineWidth = 3 * s.ratio;
    c.strokeText(label, x - w / 2, y);
    c.fillStyle = tint(path.shape.colour || standard, this.palette);
    c.fillText(label, x - w / 2, y);
    return true;
  }
}

/** fit gives a canvas the size of the screen. */
export function fit(canvas: HTMLCanvasElement, s: Screen): void {
  if (canvas.width === s.width && canvas.height === s.height) return;
  canvas.width = s.width;
  canvas.height = s.height;
}

// copies returns by how many metres a path is shifted to lie on the screen: once for each copy of the world that shows it.
function copies(s: Screen, path: Path): number[] {
  const halfWidth = (s.width / s.ratio / 2) * s.resolution,
    halfHeight = (s.height / s.ratio / 2) * s.resolution,
    out: number[] = [];
  if (path.south > s.y + halfHeight || path.north < s.y - halfHeight) return out;
  for (let k = Math.ceil((s.x - halfWidth - path.east) / world); k <= (s.x + halfWidth - path.west) / world; k++) out.push(k * world);
  return out;
}

function drawPen(c: CanvasRenderingContext2D, s: Screen, p: Palette, pen: Pen, colour: string): void {
  const rubber = rubberForm(pen);
  c.lineJoin = "round";
  c.setLineDash([]);
  for (const [form, dashed] of [[pen.form, false], ...(rubber ? [[rubber, true]] : [])] as [Form, boolean][]) {
    c.beginPath();
    for (const chain of outline(form)) {
      chain.forEach((place, i) => {
        const [x, y] = pen.pixel(s, place).map((v) => v * s.ratio);
        if (i === 0) c.moveTo(x, y);
        else c.lineTo(x, y);
      });
    }
    if (!dashed && complete(form) && form.kind !== "line") {
      c.globalAlpha = 0.16;
      c.fillStyle = colour;
      c.fill("evenodd");
      c.globalAlpha = 1;
    }
    c.setLineDash(dashed ? [6 * s.ratio, 4 * s.ratio] : []);
    for (const [ink, width] of [
      [p.halo, 5],
      [colour, 2.25],
    ] as const) {
      c.strokeStyle = ink;
      c.lineWidth = width * s.ratio;
      c.stroke();
    }
    c.setLineDash([]);
  }
  grips(c, s, p, pen, colour);
}

// rubberForm is what the next click would add.
function rubberForm(pen: Pen): Form | undefined {
  const chain = pen.form.chains[0];
  if (!pen.drawing || !pen.cursor || !chain || chain.length === 0) return undefined;
  if (pen.form.kind === "circle") return { ...pen.form, radius: distance(chain[0], pen.cursor) };
  const next = wayRound([chain[chain.length - 1], pen.cursor]);
  const line = { kind: "line", radius: 0, chains: [next] } as const;
  if (pen.form.kind === "polygon" && chain.length > 1) return { ...line, chains: [[...next, chain[0]]] };
  return line;
}

function grips(c: CanvasRenderingContext2D, s: Screen, p: Palette, pen: Pen, colour: string): void {
  const dot = (x: number, y: number, r: number, fill: string, ring: string): void => {
    c.beginPath();
    c.arc(x * s.ratio, y * s.ratio, r * s.ratio, 0, 7);
    c.fillStyle = fill;
    c.fill();
    c.strokeStyle = ring;
    c.lineWidth = 2 * s.ratio;
    c.stroke();
  };
  const all = pen.grips(s);
  if (all.length > mostDots) return specks(c, s, p, pen, all, colour);
  for (const grip of all.reverse()) {
    const chosen = grip.kind === "vertex" && pen.selected?.chain === grip.chain && pen.selected.at === grip.at;
    if (grip.kind === "edge") dot(grip.x, grip.y, 3.5, p.halo, colour);
    else if (grip.kind === "whole") cross(c, grip.x * s.ratio, grip.y * s.ratio, s.ratio, p.halo, colour);
    else dot(grip.x, grip.y, chosen ? 8 : 6, chosen ? p.selected : colour, p.halo);
  }
  if (pen.drawing && pen.cursor) {
    const [x, y] = pen.pixel(s, pen.cursor);
    dot(x, y, pen.snapped ? 7 : 4, pen.snapped ? p.selected : p.halo, colour);
    const chain = pen.form.chains[0],
      from = chain?.[chain.length - 1];
    if (from) legText(c, s, p, from, pen.cursor, x, y);
  }
}

// specks are the grips of a form of very many places.
function specks(c: CanvasRenderingContext2D, s: Screen, p: Palette, pen: Pen, all: Grip[], colour: string): void {
  const r = 2 * s.ratio;
  c.beginPath();
  for (const { x, y } of all) c.rect(x * s.ratio - r, y * s.ratio - r, 2 * r, 2 * r);
  c.fillStyle = colour;
  c.fill();
  const chosen = all.find((grip) => grip.kind === "vertex" && pen.selected?.chain === grip.chain && pen.selected.at === grip.at);
  if (chosen) {
    c.fillStyle = p.selected;
    c.fillRect(chosen.x * s.ratio - 3 * r, chosen.y * s.ratio - 3 * r, 6 * r, 6 * r);
  }
}

// legText writes how far the pointer is from the last place, and in which direction.
function legText(c: CanvasRenderingContext2D, s: Screen, p: Palette, from: Place, to: Place, x: number, y: number): void {
  const metres = distance(from, to);
  if (metres < 0.5) return; // there is no direction yet
  const text = `${measured(metres)}  ${course(bearing(from, to))}`;
  c.font = `600 ${12 * s.ratio}px system-ui, sans-serif`;
  c.textBaseline = "middle";
  c.strokeStyle = p.halo;
  c.lineWidth = 4 * s.ratio;
  c.strokeText(text, (x + 14) * s.ratio, (y - 14) * s.ratio);
  c.fillStyle = p.text;
  c.fillText(text, (x + 14) * s.ratio, (y - 14) * s.ratio);
}

// cross is the sign for what moves the whole.
function cross(c: CanvasRenderingContext2D, x: number, y: number, ratio: number, fill: string, ink: string): void {
  c.beginPath();
  c.arc(x, y, 10 * ratio, 0, 7);
  c.fillStyle = fill;
  c.fill();
  c.strokeStyle = ink;
  c.lineWidth = 1.75 * ratio;
  c.stroke();
  c.beginPath();
  for (const [dx, dy] of [
    [1, 0],
    [0, 1],
    [-1, 0],
    [0, -1],
  ]) {
    c.moveTo(x, y);
    c.lineTo(x + dx * 6.5 * ratio, y + dy * 6.5 * ratio);
    c.moveTo(x + (dx * 4 - dy * 2.5) * ratio, y + (dy * 4 - dx * 2.5) * ratio);
    c.lineTo(x + dx * 6.5 * ratio, y + dy * 6.5 * ratio);
    c.lineTo(x + (dx * 4 + dy * 2.5) * ratio, y + (dy * 4 + dx * 2.5) * ratio);
  }
  c.stroke();
}
