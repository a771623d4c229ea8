// ShipPainter draws the ships on its own canvas inside the map, from the flat arrays of Picture, with symbols out of an atlas. On a
// machine without a graphics card this is several times faster than any vector layer.
import type { Alarm } from "../distress/alarm";
import { Labels } from "../labels";
import { firstStation, groups, palettes, type PaletteName } from "../palette";
import { ClassB, Entered, Hollow, Lost, Moving, OffPlace, Placed, Shown, type Picture } from "../picture";
import { title, type Ship } from "../ship";
import { Crowd } from "./crowd";
import { boxesOf, drawHull, hullOf, reachOf } from "./hulls";
import { Atlas } from "./symbols";
import { drawAlarms } from "./distress";
import { drawFrame, drawGuest } from "./guest";
import { drawCursor, drawTrack, type Cursor, type Line } from "./tracks";
import { across, down, stretch, type Screen } from "./view";

const crowd = 2500; // more ships than this in view: no labels, no vectors, smaller symbols
const several = 600; // more than this: somewhat smaller symbols
const labelLimit = 220;
const longest = 34; // letters of a name on the map: as many as AIS can send; the register takes more
const overview = 60; // metres of the projection per pixel: farther out a number in place of a name tells nobody anything

/** Look is how the ships are drawn. */
export interface Look {
  palette: PaletteName;
  vectorMinutes: number; // 0: no course vectors
  labels: boolean;
  selected: number; // MMSI, 0 none
  hovered: number;
  own: ReadonlySet<number>; // MMSIs of the user's own ships
  marked: ReadonlySet<number>; // MMSIs of ships that somebody asked to be shown
  covered: readonly [number, number, number, number][]; // left, top, right, bottom of what lies upon the map, in CSS pixels
}

const distress = groups.indexOf("distress");

// passOf orders the drawing: stations first, then lost ships, then the others upon them, and distress signals upon all.
const passOf = (group: number, flags: number): number => (group === distress ? 3 : group >= firstStation ? 0 : flags & Lost ? 1 : 2);

export class ShipPainter {
  readonly canvas = document.createElement("canvas");
  readonly labels = new Labels();
  /** The boxes of Labels from this one on are labels; those before keep symbols free. */
  firstLabel = 0;
  look: Look = { palette: "day", vectorMinutes: 6, labels: true, selected: 0, hovered: 0, own: new Set(), marked: new Set(), covered: [] };
  tracks: readonly Line[] = [];
  /** cursor is the fix of a track that is pointed out. */
  cursor?: Cursor;
  /** guest is a ship that is not in the picture and is shown where it was last. */
  guest?: Ship;
  /** alarms are shown where they were heard last, whatever else the map shows. */
  alarms: readonly Alarm[] = [];
  /** Boxes that no label may lie upon, in pixels of the canvas: the names of shapes. */
  reserved: readonly (readonly [number, number, number, number])[] = [];
  /** The slots drawn in the last frame, and where, in pixels of the canvas. */
  seen = new Int32Array(1024);
  px = new Float32Array(1024);
  py = new Float32Array(1024);
  count = 0;
  private readonly context: CanvasRenderingContext2D;
  private atlases = new Map<string, Atlas>();
  private crowd = new Crowd();
  private taken = new Uint8Array(0);
  private order: number[] = [];
  private screen?: Screen;

  constructor(private readonly picture: Picture) {
    this.canvas.className = "ships";
    this.context = this.canvas.getContext("2d")!;
  }

  /** paint draws a frame. */
  paint(screen: Screen): void {
    this.screen = screen;
    if (this.canvas.width !== screen.width || this.canvas.height !== screen.height) {
      this.canvas.width = screen.width;
      this.canvas.height = screen.height;
    }
    const c = this.context;
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.clearRect(0, 0, screen.width, screen.height);
    this.gather(screen);
    this.labels.begin(screen.width, screen.height);
    for (const box of this.look.covered)
      this.labels.reserve(box[0] * screen.ratio, box[1] * screen.ratio, box[2] * screen.ratio, box[3] * screen.ratio);
    for (const box of this.reserved) this.labels.reserve(...box);
    const crowded = this.count > crowd;
    if (crowded) this.many(screen);
    else this.reserve(screen);
    this.firstLabel = this.labels.count;
    for (const line of this.tracks) drawTrack(c, screen, this.palette, line, this.labels, this.firstLabel);
    if (!crowded && this.look.vectorMinutes > 0) this.vectors(screen);
    if (!crowded) this.symbols(screen);
    this.entered(screen);
    this.marks(screen);
    if (this.guest) drawGuest(c, screen, this.palette, this.guest, this.labels, this.firstLabel);
    const named = drawAlarms(c, screen, this.palette, this.alarms, this.labels, this.firstLabel);
    if (this.look.labels) this.names(screen, crowded, named);
    if (this.cursor) drawCursor(c, screen, this.palette, this.cursor);
  }

  /** repaint draws the frame again, because ships moved and the view did not. */
  repaint(): void {
    if (this.screen) this.paint(this.screen);
  }

  /** at returns the ship nearest to a place on the canvas in CSS pixels, within reach. */
  at(x: number, y: number, reach: number): Ship | undefined {
    const ratio = this.screen?.ratio ?? 1;
    let nearest = (reach * ratio) ** 2,
      slot = -1;
    for (let k = 0; k < this.count; k++) {
      const d = (this.px[k] - x * ratio) ** 2 + (this.py[k] - y * ratio) ** 2;
      if (d < nearest) {
        nearest = d;
        slot = this.seen[k];
      }
    }
    return slot < 0 ? undefined : this.picture.bySlot[slot];
  }

  private get palette() {
    return palettes[this.look.palette];
  }

  private atlas(scale: number): Atlas {
    const key = `${this.look.palette} ${scale}`;
    let atlas = this.atlases.get(key);
    if (!atlas) {
      if (this.atlases.size >= 4) this.atlases.clear();
      atlas = new Atlas(this.palette, scale);
      this.atlases.set(key, atlas);
    }
    return atlas;
  }

  // gather finds the ships in view. Where thousands lie upon each other, one of those that share a cell of 3 pixels stands for all.
  private gather(s: Screen): void {
    const p = this.picture;
    if (this.seen.length < p.x.length) {
      this.seen = new Int32Array(p.x.length);
      this.px = new Float32Array(p.x.length);
      this.py = new Float32Array(p.x.length);
    }
    const columns = Math.ceil(s.width / 3) + 16,
      rows = Math.ceil(s.height / 3) + 16;
    if (this.taken.length !== columns * rows) this.taken = new Uint8Array(columns * rows);
    else this.taken.fill(0);
    const edge = 20 * s.ratio,
      wanted = Placed | Shown,
      thin = p.ships.size > crowd;
    let n = 0;
    for (let i = 0; i < p.top; i++) {
      if ((p.flags[i] & wanted) !== wanted) continue;
      const y = down(s, p.y[i]);
      if (y < -edge || y > s.height + edge) continue;
      const x = across(s, p.x[i]);
      if (x < -edge || x > s.width + edge) continue;
      if (thin && p.group[i] < firstStation) {
        const cell = (((y + edge) / 3) | 0) * columns + (((x + edge) / 3) | 0);
        if (this.taken[cell] !== 0 && p.bySlot[i]?.mmsi !== this.look.selected) continue;
        this.taken[cell] = 1;
      }
      this.seen[n] = i;
      this.px[n] = x;
      this.py[n++] = y;
    }
    this.count = n;
  }

  private reserve(s: Screen): void {
    const half = 6 * s.ratio;
    for (let k = 0; k < this.count; k++) {
      this.labels.reserve(this.px[k] - half, this.py[k] - half, this.px[k] + half, this.py[k] + half);
      const i = this.seen[k],
        hull = this.picture.group[i] < firstStation ? hullOf(s, this.picture.bySlot[i]!, this.picture.y[i]) : undefined;
      for (const box of hull ? boxesOf(hull, this.px[k], this.py[k], half) : []) this.labels.reserve(...box);
    }
  }

  private vectors(s: Screen): void {
    const c = this.context,
      p = this.picture;
    const metresEachKnot = (1852 / 60) * this.look.vectorMinutes;
    c.beginPath();
    for (let k = 0; k < this.count; k++) {
      const i = this.seen[k];
      if ((p.flags[i] & (Moving | Lost)) !== Moving) continue;
      const ship = p.bySlot[i]!;
      if (ship.cog === undefined || ship.sog === undefined) continue;
      const length = ((ship.sog * metresEachKnot * stretch(p.y[i])) / s.resolution) * s.ratio;
      if (length < 4) continue;
      const a = (ship.cog * Math.PI) / 180;
      c.moveTo(this.px[k], this.py[k]);
      c.lineTo(this.px[k] + Math.sin(a) * length, this.py[k] - Math.cos(a) * length);
    }
    c.strokeStyle = this.palette.vector;
    c.lineWidth = 1.25 * s.ratio;
    c.stroke();
  }

  // many draws thousands: smaller symbols, copied.
  private many(s: Screen): void {
    const p = this.picture,
      atlas = this.atlas(0.62 * Math.min(s.ratio, 2));
    this.crowd.begin(this.context, s.width, s.height, atlas);
    for (let pass = 0; pass < 4; pass++) {
      for (let k = 0; k < this.count; k++) {
        const i = this.seen[k],
          flags = p.flags[i],
          group = p.group[i];
        if (passOf(group, flags) !== pass) continue;
        const row = Atlas.row(group, (flags & ClassB) !== 0, pass === 1);
        this.crowd.put(this.px[k], this.py[k], row, Atlas.column(group, p.bow[i], (flags & Hollow) !== 0));
      }
    }
    this.crowd.end(this.context);
  }

  private symbols(s: Screen): void {
    const atlas = this.atlas((this.count > several ? 0.8 : 1) * Math.min(s.ratio, 2));
    for (let pass = 0; pass < 4; pass++) this.pass(s, atlas, pass);
  }

  private pass(s: Screen, atlas: Atlas, pass: number): void {
    const c = this.context,
      p = this.picture,
      cell = atlas.cell,
      half = cell / 2;
    for (let k = 0; k < this.count; k++) {
      const i = this.seen[k],
        flags = p.flags[i],
        group = p.group[i];
      if (passOf(group, flags) !== pass) continue;
      if (group < firstStation && drawHull(c, s, this.palette, p.bySlot[i]!, p.y[i], this.px[k], this.py[k])) continue;
      const row = Atlas.row(group, (flags & ClassB) !== 0, pass === 1);
      c.drawImage(
        atlas.canvas,
        Atlas.column(group, p.bow[i], (flags & Hollow) !== 0) * cell,
        row * cell,
        cell,
        cell,
        (this.px[k] - half) | 0,
        (this.py[k] - half) | 0,
        cell,
        cell,
      );
    }
  }

  // entered puts a dashed ring around ships that nobody heard: they stand where somebody entered them by hand.
  private entered(s: Screen): void {
    const c = this.context,
      r = 11 * s.ratio;
    c.beginPath();
    for (let k = 0; k < this.count; k++) {
      if (!(this.picture.flags[this.seen[k]] & Entered)) continue;
      c.moveTo(this.px[k] + r, this.py[k]);
      c.arc(this.px[k], this.py[k], r, 0, 2 * Math.PI);
    }
    c.setLineDash([3 * s.ratio, 3 * s.ratio]);
    c.strokeStyle = this.palette.text;
    c.lineWidth = 1.5 * s.ratio;
    c.stroke();
    c.setLineDash([]);
  }

  // marks crosses out lost ships, rings own ships twice, and rings aids that say they are off their place. It frames the ship that is
  // selected and the one under the pointer.
  private marks(s: Screen): void {
    const c = this.context,
      p = this.picture,
      r = 6 * s.ratio;
    c.beginPath();
    for (let k = 0; k < this.count; k++) {
      const flags = p.flags[this.seen[k]];
      if (flags & OffPlace) {
        c.moveTo(this.px[k] + 1.8 * r, this.py[k]);
        c.arc(this.px[k], this.py[k], 1.8 * r, 0, 2 * Math.PI);
      }
      if (!(flags & Lost)) continue;
      c.moveTo(this.px[k] - r, this.py[k] + r);
      c.lineTo(this.px[k] + r, this.py[k] - r);
    }
    c.strokeStyle = this.palette.lost;
    c.lineWidth = 1.5 * s.ratio;
    c.stroke();
    for (let k = 0; k < this.count; k++) {
      const mmsi = p.bySlot[this.seen[k]]?.mmsi;
      if (mmsi !== undefined && this.look.own.has(mmsi)) this.rings(this.px[k], this.py[k], s.ratio);
      if (mmsi === this.look.selected) drawFrame(c, this.palette, this.px[k], this.py[k], 14 * s.ratio, 2.5 * s.ratio);
      else if (mmsi !== undefined && this.look.marked.has(mmsi))
        drawFrame(c, this.palette, this.px[k], this.py[k], 14 * s.ratio, 1.75 * s.ratio);
      else if (mmsi === this.look.hovered) drawFrame(c, this.palette, this.px[k], this.py[k], 13 * s.ratio, 1.25 * s.ratio);
    }
  }

  // rings are two circles around an own ship, as charts have them.
  private rings(x: number, y: number, ratio: number): void {
    const c = this.context;
    c.strokeStyle = this.palette.text;
    c.lineWidth = 1.5 * ratio;
    c.beginPath();
    for (const r of [10, 14]) {
      c.moveTo(x + r * ratio, y);
      c.arc(x, y, r * ratio, 0, 2 * Math.PI);
    }
    c.stroke();
  }

  // names puts names beside ships, but for those that have one already.
  private names(s: Screen, crowded: boolean, named: ReadonlySet<number>): void {
    const c = this.context,
      p = this.picture;
    c.font = `${11 * s.ratio}px system-ui, sans-serif`;
    c.textBaseline = "middle";
    c.lineJoin = "round";
    this.order.length = 0;
    for (let k = 0; k < this.count; k++) {
      const mmsi = p.bySlot[this.seen[k]]!.mmsi;
      if (named.has(mmsi)) continue;
      if (!crowded || mmsi === this.look.selected || mmsi === this.look.hovered) this.order.push(k);
    }
    this.order.sort((a, b) => this.weight(b) - this.weight(a) || this.seen[a] - this.seen[b]);
    let placed = 0;
    for (const k of this.order) {
      if (placed >= labelLimit) return;
      if (this.name(s, k)) placed++;
    }
  }

  // weight says which name matters more when there is no room for all.
  private weight(k: number): number {
    const p = this.picture,
      i = this.seen[k],
      ship = p.bySlot[i]!;
    if (ship.mmsi === this.look.selected) return 4e4;
    if (ship.mmsi === this.look.hovered) return 3e4;
    if (ship.group === "distress") return 2e4;
    return (
      (p.flags[i] & Lost ? 0 : 2000) + (p.flags[i] & Moving ? 4000 : 0) + (p.group[i] >= firstStation ? -1500 : 0) + (ship.length ?? 0)
    );
  }

  // beneath tells whether a box would lie under what is upon the map.
  private beneath(s: Screen, left: number, top: number, right: number, bottom: number): boolean {
    return this.look.covered.some(
      (b) => left < b[2] * s.ratio && right > b[0] * s.ratio && top < b[3] * s.ratio && bottom > b[1] * s.ratio,
    );
  }

  private name(s: Screen, k: number): boolean {
    const p = this.picture,
      i = this.seen[k],
      ship = p.bySlot[i]!,
      c = this.context;
    const meant = ship.mmsi === this.look.selected || ship.mmsi === this.look.hovered; // this name may lie upon other symbols
    if (!ship.name && !meant && s.resolution > overview && ship.group !== "distress") return false;
    const whole = title(ship),
      text = whole.length > longest ? whole.slice(0, longest - 1) + "…" : whole;
    if (p.label[i] === 0) p.label[i] = c.measureText(text).width / s.ratio;
    const w = p.label[i] * s.ratio,
      h = 7 * s.ratio,
      x = this.px[k],
      y = this.py[k],
      gap = 4 * s.ratio;
    const [west, north, east, south] = reachOf(s, ship, this.picture.y[ship.slot]);
    for (let side = 0; side < 4; side++) {
      const left = side === 0 ? x + east + gap : side === 1 ? x - west - gap - w : x + (east - west - w) / 2;
      const middle =
        side === 2 ? y - north - gap - h + 2 * s.ratio : side === 3 ? y + south + gap + h - 2 * s.ratio : y + (south - north) / 2;
      if (meant && this.beneath(s, left, middle - h, left + w, middle + h)) continue;
      if (!this.labels.place(left - 2, middle - h, left + w + 2, middle + h, meant ? this.firstLabel : 0)) continue;
      c.strokeStyle = this.palette.halo;
      c.lineWidth = 3 * s.ratio;
      c.strokeText(text, left, middle);
      c.fillStyle = p.flags[i] & Lost ? this.palette.lost : this.palette.text;
      c.fillText(text, left, middle);
      return true;
    }
    return false;
  }
}
