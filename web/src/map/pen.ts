// Pen draws and changes one form on the map, by mouse, finger and keyboard. It knows pixels and places, nothing of
// OpenLayers, so that its tests need no browser. A drag is its own only where it begins on a grip; every other drag moves
// the map, also while drawing.
import { mercatorX, mercatorY } from "../picture";
import {
  beside,
  between,
  complete,
  distance,
  least,
  middle,
  mostPlaces,
  toward,
  unwrap,
  wayRound,
  type Form,
  type Kind,
  type Place,
} from "../geometry";
import type { Screen } from "./view";

/** Grip is what of a form can be dragged. */
export interface Grip {
  kind: "vertex" | "edge" | "radius" | "whole";
  chain: number;
  at: number;
  x: number;
  y: number;
}

const reachOf = (touch: boolean): number => (touch ? 24 : 10); // pixels around a grip, and for snapping
const shortEdge = 44; // pixels: an edge that is shorter has no grip to insert at
const earthRadius = 6378137;
const toDegrees = 180 / (Math.PI * earthRadius);

/** placeAt returns the place under a pixel; its longitude goes on beyond 180 where the map does. */
export const placeAt = (s: Screen, x: number, y: number): Place => [
  (s.x + (x - s.width / s.ratio / 2) * s.resolution) * toDegrees,
  (Math.atan(Math.sinh((s.y - (y - s.height / s.ratio / 2) * s.resolution) / earthRadius)) * 180) / Math.PI,
];

export class Pen {
  drawing: boolean;
  /** The vertex that Delete removes. */
  selected?: { chain: number; at: number };
  /** Where the next place would be, while drawing. */
  cursor?: Place;
  snapped = false;
  /** What to snap to, in pieces as outline gives them. */
  targets: readonly (readonly Place[])[] = [];
  private past: Form[] = [];
  private metres?: { form: Form; chains: Float64Array[] };
  private held?: { grip: Grip; from: Place; form: Form; touch: boolean };

  constructor(
    public form: Form,
    private readonly changed: () => void,
  ) {
    this.drawing = !complete(form);
  }

  /** begin makes a pen for a new form. */
  static begin(kind: Kind, changed: () => void): Pen {
    return new Pen({ kind, chains: [], radius: 0 }, changed);
  }

  get canUndo(): boolean {
    return this.past.length > 0;
  }

  /** set takes another form, as one step to undo. */
  set(form: Form): void {
    this.past.push(this.form);
    if (this.past.length > 200) this.past.shift();
    this.take(form);
  }

  private take(form: Form): void {
    this.form = form;
    if (this.selected && !form.chains[this.selected.chain]?.[this.selected.at]) this.selected = undefined;
    this.changed();
  }

  /** undo takes the last step back: while drawing the last place. */
  undo(): void {
    const before = this.past.pop();
    if (!before) return;
    if (!complete(before)) this.drawing = true;
    this.take(before);
  }

  /** finish ends the drawing; what is no shape yet is given up. */
  finish(): void {
    if (!complete(this.form)) {
      this.past = [];
      this.take({ kind: this.form.kind, chains: [], radius: 0 });
    }
    this.drawing = !complete(this.form);
    this.cursor = undefined;
    this.changed();
  }

  /** removable tells whether the selected place can go. */
  get removable(): boolean {
    const chain = this.selected && this.form.chains[this.selected.chain];
    return chain !== undefined && (chain.length > least[this.form.kind] || (this.selected!.chain > 0 && this.form.kind === "polygon"));
  }

  /** remove removes the selected place; a hole that has too few left goes as a whole. */
  remove(): void {
    if (!this.selected || !this.removable) return;
    const { chain, at } = this.selected;
    const rest = this.form.chains[chain].filter((_, i) => i !== at);
    const chains = this.form.chains.map((c, i) => (i === chain ? rest : c)).filter((c, i) => i === 0 || c.length >= 3);
    this.selected = undefined;
    this.set({ ...this.form, chains });
  }

  // ---- where things are on the screen ----------------------------------------------------------------------------

  // turn is by how many degrees the form is shown beside where its longitudes are, so that it is on the screen.
  private turn(s: Screen): number {
    const lon = this.form.chains[0]?.[0]?.[0];
    return lon === undefined ? 0 : beside(lon, s.x * toDegrees) - lon;
  }

  /** pixel returns where a place of the form is drawn, in CSS pixels. */
  pixel(s: Screen, [lon, lat]: Place): [number, number] {
    return [
      (mercatorX(lon + this.turn(s)) - s.x) / s.resolution + s.width / s.ratio / 2,
      (s.y - mercatorY(lat)) / s.resolution + s.height / s.ratio / 2,
    ];
  }

  /** rim is where the radius of a circle is taken hold of. */
  rim(): Place | undefined {
    const centre = this.form.chains[0]?.[0];
    return this.form.kind === "circle" && centre && this.form.radius > 0 ? toward(centre, 90, this.form.radius) : undefined;
  }

  // projected returns the chains in metres of the projection, worked out once for each form.
  private projected(): Float64Array[] {
    if (this.metres?.form !== this.form) {
      this.metres = {
        form: this.form,
        chains: this.form.chains.map((chain) => Float64Array.from(chain.flatMap(([lon, lat]) => [mercatorX(lon), mercatorY(lat)]))),
      };
    }
    return this.metres.chains;
  }

  /** grips is what can be taken hold of on the screen, the more important first. */
  grips(s: Screen): Grip[] {
    const out: Grip[] = [],
      edges: Grip[] = [],
      { kind } = this.form;
    const shift = mercatorX(this.turn(s)) - s.x,
      w = s.width / s.ratio,
      h = s.height / s.ratio;
    const seen = (x: number, y: number): boolean => x > -30 && y > -30 && x < w + 30 && y < h + 30;
    this.projected().forEach((chain, c) => {
      const n = chain.length / 2,
        closed = kind === "polygon" && n > 2;
      const round = closed ? mercatorX(beside(this.form.chains[c][0][0], this.form.chains[c][n - 1][0])) : 0;
      for (let at = 0; at < n; at++) {
        const x = (chain[2 * at] + shift) / s.resolution + w / 2,
          y = (s.y - chain[2 * at + 1]) / s.resolution + h / 2;
        if (seen(x, y)) out.push({ kind: "vertex", chain: c, at, x, y });
        if (this.drawing || (at + 1 === n && !closed)) continue;
        const nx = ((at + 1 < n ? chain[2 * at + 2] : round) + shift) / s.resolution + w / 2,
          ny = (s.y - chain[at + 1 < n ? 2 * at + 3 : 1]) / s.resolution + h / 2;
        if (Math.hypot(nx - x, ny - y) >= shortEdge && seen((x + nx) / 2, (y + ny) / 2))
          edges.push({ kind: "edge", chain: c, at: at + 1, x: (x + nx) / 2, y: (y + ny) / 2 });
      }
    });
    const add = (grip: Grip["kind"], place: Place | undefined): void => {
      if (!place) return;
      const [x, y] = this.pixel(s, place);
      out.push({ kind: grip, chain: 0, at: 0, x, y });
    };
    if (!this.drawing) add("radius", this.rim());
    if (!this.drawing && (kind === "polygon" || kind === "line")) add("whole", middle(this.form));
    return [...out, ...edges];
  }

  private gripAt(s: Screen, x: number, y: number, touch: boolean): Grip | undefined {
    let best: Grip | undefined,
      nearest = reachOf(touch);
    for (const grip of this.grips(s)) {
      const d = Math.hypot(grip.x - x, grip.y - y) + (grip.kind === "edge" || grip.kind === "whole" ? 4 : 0);
      if (d < nearest) {
        nearest = d;
        best = grip;
      }
    }
    return best;
  }

  // here is the place under a pixel in the longitudes of the form, drawn to what it may snap to.
  private here(s: Screen, x: number, y: number, touch: boolean): Place {
    const [lon, lat] = placeAt(s, x, y);
    const found = this.snap(s, x, y, touch);
    this.snapped = found !== undefined;
    const [l, b] = found ?? [lon - this.turn(s), Math.max(-85, Math.min(85, lat))];
    return [l, b];
  }

  // snap finds the nearest corner of what there is to snap to, else the nearest place on an edge.
  private snap(s: Screen, x: number, y: number, touch: boolean): Place | undefined {
    const reach = reachOf(touch) * (touch ? 0.7 : 1);
    let corner: Place | undefined,
      edge: Place | undefined,
      cornerAt = reach,
      edgeAt = reach;
    for (const chain of this.targets) {
      let last: [number, number] | undefined,
        turned = 0;
      if (chain.length > 0) turned = beside(chain[0][0], s.x * toDegrees) - chain[0][0];
      for (let i = 0; i < chain.length; i++) {
        const px = (mercatorX(chain[i][0] + turned) - s.x) / s.resolution + s.width / s.ratio / 2;
        const py = (s.y - mercatorY(chain[i][1])) / s.resolution + s.height / s.ratio / 2;
        const d = Math.hypot(px - x, py - y);
        if (d < cornerAt) {
          cornerAt = d;
          corner = [chain[i][0] + turned - this.turn(s), chain[i][1]];
        }
        if (last) {
          const [ax, ay] = last,
            long = (px - ax) ** 2 + (py - ay) ** 2;
          const part = long === 0 ? 0 : Math.max(0, Math.min(1, ((x - ax) * (px - ax) + (y - ay) * (py - ay)) / long));
          const e = Math.hypot(ax + (px - ax) * part - x, ay + (py - ay) * part - y);
          if (e < edgeAt) {
            edgeAt = e;
            const [lon, lat] = between(chain[i - 1], chain[i], part);
            edge = [lon + turned - this.turn(s), lat];
          }
        }
        last = [px, py];
      }
    }
    return corner ?? edge;
  }

  // ---- the pointer -----------------------------------------------------------------------------------------------

  /** down takes hold of the grip under a pixel; it tells whether there is one, and the drag is the pen's. */
  down(s: Screen, x: number, y: number, touch: boolean): boolean {
    const grip = this.gripAt(s, x, y, touch);
    if (!grip || (this.drawing && this.form.kind !== "circle" && grip.kind !== "vertex")) return false;
    this.held = { grip, from: this.here(s, x, y, touch), form: this.form, touch };
    return true;
  }

  /** drag moves what is held. */
  drag(s: Screen, x: number, y: number): void {
    const held = this.held;
    if (!held) return;
    const { grip, form } = held,
      to = this.here(s, x, y, held.touch);
    if (grip.kind === "radius") return this.take({ ...form, radius: Math.max(1, Math.round(distance(form.chains[0][0], to))) });
    if (grip.kind === "whole" || form.kind === "circle") {
      const byLon = to[0] - held.from[0],
        byLat = to[1] - held.from[1];
      const whole =
        form.kind === "circle"
          ? [[to]]
          : form.chains.map((chain) => chain.map(([lon, lat]) => [lon + byLon, Math.max(-85, Math.min(85, lat + byLat))] as const));
      return this.take({ ...form, chains: whole });
    }
    const chain = [...form.chains[grip.chain]];
    if (grip.kind === "edge") chain.splice(grip.at, 0, to);
    else chain[grip.at] = to;
    this.selected = { chain: grip.chain, at: grip.at };
    this.take(this.with(grip.chain, chain, form));
  }

  // with replaces one chain; every place lies beside the one before, for an edge goes the shorter way.
  private with(at: number, chain: readonly Place[], form = this.form): Form {
    return { ...form, chains: form.chains.map((c, i) => (i === at ? unwrap(chain) : c)) };
  }

  /** up lets go. */
  up(): void {
    const held = this.held;
    this.held = undefined;
    this.snapped = false;
    if (!held) return;
    if (held.form !== this.form) this.past.push(held.form);
    this.changed();
  }

  /** move is the pointer without a button; it tells whether it is over a grip. */
  move(s: Screen, x: number, y: number): boolean {
    if (this.drawing) {
      this.cursor = this.here(s, x, y, false);
      this.changed();
    }
    return this.gripAt(s, x, y, false) !== undefined;
  }

  /** click adds a place while drawing, and selects one afterwards. */
  click(s: Screen, x: number, y: number, touch: boolean): void {
    const { kind, chains } = this.form;
    if (kind === "point") return this.finishWith({ ...this.form, chains: [[this.here(s, x, y, touch)]] });
    const grip = this.gripAt(s, x, y, touch);
    if (!this.drawing) {
      if (grip?.kind === "edge") {
        const chain = [...chains[grip.chain]];
        const next = chain[grip.at % chain.length];
        chain.splice(grip.at, 0, between(chain[grip.at - 1], next, 0.5));
        this.set(this.with(grip.chain, chain));
      }
      this.selected =
        grip && (grip.kind === "vertex" || grip.kind === "edge") && kind !== "circle" ? { chain: grip.chain, at: grip.at } : undefined;
      return this.changed();
    }
    const chain = chains[0] ?? [];
    if (kind === "circle") {
      const to = this.here(s, x, y, touch);
      if (chain.length === 0) return this.finishWith({ ...this.form, chains: [[to]] }, this.form.radius > 0);
      const radius = Math.round(distance(chain[0], to));
      return radius > 0 ? this.finishWith({ ...this.form, radius }) : undefined;
    }
    const again = grip?.kind === "vertex" && (grip.at === chain.length - 1 || (grip.at === 0 && kind === "polygon"));
    if (again && complete(this.form)) return grip.at === 0 ? this.close(chain) : this.finish();
    if (again) return undefined;
    if (chain.length >= mostPlaces) return;
    this.set({ ...this.form, chains: [wayRound([...chain, this.here(s, x, y, touch)])] });
  }

  // close ends a polygon at its first place, where it is on the screen.
  private close(chain: readonly Place[]): void {
    const ring = wayRound([...chain, chain[0]]).slice(0, -1);
    if (ring.length > chain.length) this.set({ ...this.form, chains: [ring] });
    this.finish();
  }

  private finishWith(form: Form, done = true): void {
    this.set(form);
    if (done) this.finish();
  }

  /** key takes a key of the keyboard and tells whether it was for the pen. */
  key(key: string, control: boolean): boolean {
    if ((key === "Backspace" && !this.selected) || (key === "z" && control)) this.undo();
    else if (key === "Delete" || key === "Backspace") this.remove();
    else if ((key === "Escape" || key === "Enter") && this.drawing && (this.form.chains.length > 0 || this.cursor)) this.finish();
    else return false;
    return true;
  }
}
