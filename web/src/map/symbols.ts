// The symbols. Each group has its own outline or mark, so that colour is never the only sign. All are drawn pointing north
// around 0,0 in a box of 26 by 26 pixels at scale 1.
import { groups, palettes, type Group, type Palette, type PaletteName } from "../palette";

type Context = CanvasRenderingContext2D;

/** headings is how many symbols of a kind there are, and noBow the one without a heading. */
export const headings = 72; // one symbol each 5 degrees
const round = headings; // the column of the symbol without a bow
const hollow = headings + 1; // the column of a virtual aid to navigation, and of a device of distress under test
export const noBow = 255;

function polygon(c: Context, ...points: number[]): void {
  c.beginPath();
  c.moveTo(points[0], points[1]);
  for (let i = 2; i < points.length; i += 2) c.lineTo(points[i], points[i + 1]);
  c.closePath();
}

const hullShape = (c: Context, long: number, wide: number): void =>
  polygon(c, 0, -long, wide, -long * 0.35, wide, long * 0.85, -wide, long * 0.85, -wide, -long * 0.35);

const outlines: Partial<Record<Group, (c: Context) => void>> = {
  cargo: (c) => hullShape(c, 10, 3.8),
  tanker: (c) => hullShape(c, 10, 4.2),
  passenger: (c) => hullShape(c, 10, 4.2),
  hsc: (c) => polygon(c, 0, -10, 5.5, 9, 0, 5, -5.5, 9),
  service: (c) => hullShape(c, 7.5, 4.6),
  fishing: (c) => polygon(c, 0, -9.5, 4.6, 0, 0, 9.5, -4.6, 0),
  leisure: (c) => polygon(c, 0, -8, 4.8, 6.5, -4.8, 6.5),
  authority: (c) => hullShape(c, 9.5, 4.4),
  other: (c) => hullShape(c, 9, 3.6),
  aircraft: (c) => polygon(c, 0, -10, 2, -4, 10, 3, 10, 5, 2, 3, 1.6, 7, 4.5, 9.5, -4.5, 9.5, -1.6, 7, -2, 3, -10, 5, -10, 3, -2, -4),
};

/** drawMark draws what lies inside a symbol, so that groups differ without their colour. */
export function drawMark(c: Context, group: Group, colour: string): void {
  c.fillStyle = colour;
  c.strokeStyle = colour;
  c.lineWidth = 1.6;
  switch (group) {
    case "tanker":
      c.beginPath();
      c.arc(0, 1.5, 2, 0, 7);
      c.fill();
      break;
    case "passenger":
      c.fillRect(-2.6, -1.5, 5.2, 1.5);
      c.fillRect(-2.6, 2.5, 5.2, 1.5);
      break;
    case "service":
      c.fillRect(-3, 0.5, 6, 1.7);
      break;
    case "authority":
      c.fillRect(-0.9, -3.5, 1.8, 9);
      break;
    case "base":
      c.beginPath();
      c.arc(0, 0, 1.8, 0, 7);
      c.fill();
      break;
    case "aton":
      c.fillRect(-3, -0.7, 6, 1.4);
      c.fillRect(-0.7, -3, 1.4, 6);
      break;
    default:
  }
}

function roundOutline(c: Context, group: Group): void {
  switch (group) {
    case "base":
      c.beginPath();
      c.rect(-4.5, -4.5, 9, 9);
      break;
    case "aton":
      polygon(c, 0, -6.5, 6.5, 0, 0, 6.5, -6.5, 0);
      break;
    case "fishing":
      polygon(c, 0, -5.5, 5.5, 0, 0, 5.5, -5.5, 0);
      break;
    case "leisure":
      c.beginPath();
      c.arc(0, 0, 3.4, 0, 7);
      break;
    case "hsc":
      polygon(c, -5, -4, 0, -1.5, 5, -4, 0, 6);
      break;
    default:
      c.beginPath();
      c.arc(0, 0, 4.8, 0, 7);
  }
}

// distress draws a device of distress: a cross in a ring, red, or of one under test in the colour of words and with a dashed ring.
function distress(c: Context, p: Palette, test: boolean): void {
  c.beginPath();
  c.arc(0, 0, 9, 0, 7);
  c.fillStyle = p.halo;
  c.fill();
  if (test) {
    c.setLineDash([3, 3]);
    c.lineWidth = 1.6;
    c.strokeStyle = p.text;
    c.stroke();
    c.setLineDash([]);
    c.beginPath();
  }
  c.moveTo(-6.4, -6.4);
  c.lineTo(6.4, 6.4);
  c.moveTo(6.4, -6.4);
  c.lineTo(-6.4, 6.4);
  c.lineWidth = test ? 1.6 : 2.4;
  c.strokeStyle = test ? p.text : p.group.distress;
  c.stroke();
}

// draw draws one symbol; that of a lost ship is hollow, in the whole colour of its group.
function draw(c: Context, p: Palette, group: Group, column: number, lost = false): void {
  if (group === "distress") return distress(c, p, column === hollow);
  const outline = column < headings && outlines[group];
  if (outline) outline(c);
  else roundOutline(c, group);
  const empty = group === "other" || column === hollow || lost;
  c.lineJoin = "round";
  c.fillStyle = empty ? p.halo : p.group[group];
  c.strokeStyle = empty ? p.group[group] : p.outline;
  c.lineWidth = empty ? 2 : 1;
  c.fill();
  c.stroke();
  drawMark(c, group, column === hollow || lost ? p.group[group] : p.mark);
}

/** Atlas holds every symbol of a palette at one size, drawn once: a row a group and size or loss, a column a heading. */
export class Atlas {
  readonly canvas = document.createElement("canvas");
  readonly cell: number;

  /** scale is that of the symbol times the pixel ratio of the screen. */
  constructor(palette: Palette, scale: number) {
    this.cell = Math.ceil(26 * scale);
    this.canvas.width = this.cell * (headings + 2);
    this.canvas.height = this.cell * groups.length * 3;
    const c = this.canvas.getContext("2d")!;
    for (let row = 0; row < groups.length * 3; row++) {
      const size = Math.floor(row / groups.length) === 1 ? scale * 0.78 : scale;
      for (let column = 0; column < headings + 2; column++) this.cellAt(c, palette, row, column, size);
    }
  }

  private cellAt(c: Context, palette: Palette, row: number, column: number, size: number): void {
    const group = groups[row % groups.length];
    if (column < headings && !outlines[group]) return;
    c.save();
    c.translate((column + 0.5) * this.cell, (row + 0.5) * this.cell);
    if (column < headings) c.rotate((column * 5 * Math.PI) / 180);
    c.scale(size, size);
    draw(c, palette, group, column, row >= groups.length * 2);
    c.restore();
  }

  /** row returns where the symbols of a group stand: smaller ones for class B, hollow ones for ships that are lost. */
  static row(group: number, classB: boolean, lost: boolean): number {
    return group + (lost ? 2 : classB ? 1 : 0) * groups.length;
  }

  /** column returns where the symbol of a group with this bow (0..71, or 255) stands, or the empty one. */
  static column(group: number, bow: number, empty: boolean): number {
    if (empty) return hollow;
    return bow === noBow || !outlines[groups[group]] ? round : bow;
  }
}

// images are those that icon has made, by what they show. There are few: kinds, palettes, sizes, and a heading each five degrees.
const images = new Map<string, string>();
const mostImages = 4000;

/** icon returns the address of an image of one symbol for legends and lists, drawn as on the map. degrees is where the bow points, size in CSS pixels; an
 * empty one has no body. It is an image and no canvas, as each canvas of a list is a layer that the browser puts together anew in each frame. */
export function icon(palette: PaletteName, group: Group, degrees: number | undefined, size: number, empty = false): string {
  const ratio = window.devicePixelRatio || 1,
    bow = empty ? hollow : degrees === undefined || !outlines[group] ? round : ((Math.round(degrees / 5) % headings) + headings) % headings,
    key = [palette, group, bow, size, ratio].join();
  let image = images.get(key);
  if (image === undefined) {
    if (images.size >= mostImages) images.clear();
    images.set(key, (image = drawn(palettes[palette], group, bow, size * ratio)));
  }
  return image;
}

// drawn returns the address of an image of a symbol, so many pixels wide.
function drawn(palette: Palette, group: Group, column: number, width: number): string {
  const canvas = document.createElement("canvas"),
    c = canvas.getContext("2d")!;
  canvas.width = canvas.height = Math.ceil(width);
  c.translate(width / 2, width / 2);
  if (column < headings) c.rotate((column * 5 * Math.PI) / 180);
  c.scale(width / 26, width / 26);
  draw(c, palette, group, column);
  return canvas.toDataURL();
}
