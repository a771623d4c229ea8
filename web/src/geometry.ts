// The geometry of shapes as the server means it: WGS 84, an edge is straight in degrees and runs the shorter way round, a
// circle holds all places within its radius in metres.
import type { Coordinate, ShapeRequest } from "./contract";
import { place as placeText } from "./text/figures";

/** Place is a longitude and a latitude in degrees. */
export type Place = readonly [lon: number, lat: number];
/** Kind is a kind of form. */
export type Kind = "polygon" | "circle" | "line" | "point";

/** Form is what a shape looks like. The longitudes of a chain go on beyond 180 degrees where it crosses the date line, so
 * that neighbours are never more than 180 apart. */
export interface Form {
  readonly kind: Kind;
  readonly chains: readonly (readonly Place[])[]; // rings, not closed, the outer first; of a line one; of a circle its centre alone
  readonly radius: number; // metres, of a circle
}

/** least is how many places a chain of a kind needs. */
export const least: Record<Kind, number> = { polygon: 3, circle: 1, line: 2, point: 1 };
/** mostPlaces is how many places the server takes for a shape. */
export const mostPlaces = 10000;
const rad = Math.PI / 180;

/** normal brings a longitude into -180 to 180, the upper excluded. */
export const normal = (lon: number): number => ((((lon + 180) % 360) + 360) % 360) - 180;

/** beside returns the copy of a longitude that lies nearest to another. */
export const beside = (lon: number, to: number): number => lon + Math.round((to - lon) / 360) * 360;

/** unwrap lets each place lie beside the one before. */
export function unwrap(chain: readonly Place[], from?: number): Place[] {
  let last = from;
  return chain.map(([lon, lat]) => [(last = last === undefined ? lon : beside(lon, last)), lat] as const);
}

/** wayRound puts places on the way of each edge of 180 degrees or more. By itself an edge runs the shorter way. */
export function wayRound(chain: readonly Place[]): Place[] {
  return chain.flatMap((to, i) => {
    const from = chain[Math.max(0, i - 1)],
      wide = Math.abs(to[0] - from[0]),
      pieces = wide < 180 ? 1 : Math.ceil(wide / 120);
    return Array.from({ length: pieces }, (_, k): Place => {
      const part = (k + 1) / pieces;
      return k + 1 === pieces ? to : [from[0] + (to[0] - from[0]) * part, from[1] + (to[1] - from[1]) * part];
    });
  });
}

/** ringOf is unwrap for a typed ring: an edge from -180 to 180 goes round the world, and has places on its way. */
export function ringOf(chain: readonly Place[], from?: number): Place[] {
  let round = 0;
  const turned = unwrap(chain, from).map(([lon, lat], i): Place => {
    const by = i > 0 ? chain[i][0] - chain[i - 1][0] : 0;
    if (Math.abs(by) === 360) round += by;
    return [lon + round, lat];
  });
  return wayRound(turned);
}

/** complete tells whether a form can be saved. */
export const complete = (f: Form): boolean =>
  f.chains.length > 0 && f.chains.every((chain) => chain.length >= least[f.kind]) && (f.kind !== "circle" || f.radius > 0);

/** Drawn is the geometry of a shape of the API. */
export type Drawn = Pick<ShapeRequest, "polygon" | "line" | "circle">;

/** formOf reads the geometry of a shape of the API. */
export function formOf(s: Drawn): Form | undefined {
  if (s.circle) return { kind: "circle", chains: [[pair(s.circle.center.coordinates)]], radius: s.circle.radius };
  if (s.line) return { kind: "line", chains: [unwrap(s.line.coordinates.map(pair))], radius: 0 };
  if (!s.polygon) return undefined;
  const rings: Place[][] = [];
  for (const ring of s.polygon.coordinates) rings.push(unwrap(ring.slice(0, -1).map(pair), rings[0]?.[0][0]));
  return { kind: "polygon", chains: rings, radius: 0 };
}

const pair = ([lon, lat]: Coordinate): Place => [lon, lat];
const exact = (place: Place): Coordinate => [Number(normal(place[0]).toFixed(7)), Number(place[1].toFixed(7))];

/** drawn writes a form as the API takes it. */
export function drawn(f: Form): Drawn {
  if (f.kind === "circle") return { circle: { center: { type: "Point", coordinates: exact(f.chains[0][0]) }, radius: f.radius } };
  if (f.kind === "line") return { line: { type: "LineString", coordinates: f.chains[0].map(exact) } };
  return { polygon: { type: "Polygon", coordinates: f.chains.map((ring) => [...ring, ring[0]].map(exact)) } };
}

// earth is the radius of the earth in metres along an azimuth (degrees) at a latitude: the ellipsoid is bent less there to
// the poles. To within 0.01 % over a hundred kilometres.
function earth(lat: number, azimuth: number): number {
  const w = 1 - 0.00669437999014 * Math.sin(lat * rad) ** 2;
  const east = 6378137 / Math.sqrt(w),
    north = (6378137 * (1 - 0.00669437999014)) / w ** 1.5;
  return 1 / (Math.cos(azimuth * rad) ** 2 / north + Math.sin(azimuth * rad) ** 2 / east);
}

/** bearing is the direction from a to b at a, degrees true. */
export function bearing(a: Place, b: Place): number {
  const dl = (b[0] - a[0]) * rad;
  const y = Math.sin(dl) * Math.cos(b[1] * rad);
  const x = Math.cos(a[1] * rad) * Math.sin(b[1] * rad) - Math.sin(a[1] * rad) * Math.cos(b[1] * rad) * Math.cos(dl);
  return (Math.atan2(y, x) / rad + 360) % 360;
}

/** distance is the way from a to b in metres. */
export function distance(a: Place, b: Place): number {
  const h =
    Math.sin(((b[1] - a[1]) * rad) / 2) ** 2 + Math.cos(a[1] * rad) * Math.cos(b[1] * rad) * Math.sin(((b[0] - a[0]) * rad) / 2) ** 2;
  return 2 * Math.asin(Math.min(1, Math.sqrt(h))) * earth((a[1] + b[1]) / 2, bearing(a, b));
}

/** toward is the place so many metres from another in a direction. */
export function toward(from: Place, azimuth: number, metres: number): Place {
  let to = step(from, azimuth, metres / earth(from[1], azimuth));
  to = step(from, azimuth, metres / earth((from[1] + to[1]) / 2, azimuth));
  return to;
}

function step(from: Place, azimuth: number, arc: number): Place {
  const lat = Math.asin(Math.sin(from[1] * rad) * Math.cos(arc) + Math.cos(from[1] * rad) * Math.sin(arc) * Math.cos(azimuth * rad));
  const dl = Math.atan2(
    Math.sin(azimuth * rad) * Math.sin(arc) * Math.cos(from[1] * rad),
    Math.cos(arc) - Math.sin(from[1] * rad) * Math.sin(lat),
  );
  return [from[0] + dl / rad, lat / rad];
}

const corners = 120; // of a circle

/** outline returns the chains to draw: closed where the form is, with places between on long edges, which are not straight on
 * the map. */
export function outline(f: Form): Place[][] {
  if (f.kind === "circle") {
    if (!(f.radius > 0) || !f.chains[0]) return [];
    return [
      unwrap(
        Array.from({ length: corners + 1 }, (_, i) => toward(f.chains[0][0], ((i % corners) * 360) / corners, f.radius)),
        f.chains[0][0][0],
      ),
    ];
  }
  return f.chains.map((chain) => {
    const out: Place[] = [];
    const closed = f.kind === "polygon" && chain.length > 2;
    for (let i = 0; i < chain.length; i++) {
      out.push(chain[i]);
      const next = i + 1 < chain.length ? chain[i + 1] : closed ? chain[0] : undefined;
      if (!next) break;
      const lon = beside(next[0], chain[i][0]);
      const pieces = Math.min(180, Math.ceil(Math.max(Math.abs(lon - chain[i][0]), Math.abs(next[1] - chain[i][1]))));
      for (let k = 1; k < pieces; k++)
        out.push([chain[i][0] + ((lon - chain[i][0]) * k) / pieces, chain[i][1] + ((next[1] - chain[i][1]) * k) / pieces]);
      if (i + 1 === chain.length) out.push([lon, next[1]]);
    }
    return out;
  });
}

const every = 3; // of the corners with which the map draws a circle

/** cornered returns a circle as a ring of corners, as the server takes an area. */
export const cornered = (form: Form): Form =>
  form.kind === "circle"
    ? { kind: "polygon", radius: 0, chains: outline(form).map((chain) => chain.slice(0, -1).filter((_, i) => i % every === 0)) }
    : form;

/** Measure is how large a form is: square kilometres of an area, metres along its edges. */
export interface Measure {
  area: number;
  length: number;
}

/** measure tells how large a form is; holes do not count. */
export function measure(f: Form): Measure {
  if (f.kind === "circle") {
    const arc = f.radius / 6371008.8;
    return { area: (2 * Math.PI * 6371008.8 ** 2 * 2 * Math.sin(arc / 2) ** 2) / 1e6, length: 2 * Math.PI * 6371008.8 * Math.sin(arc) };
  }
  let length = 0;
  const outer = f.chains[0] ?? [];
  for (let i = 1; i < outer.length; i++) length += distance(outer[i - 1], outer[i]);
  if (f.kind !== "polygon" || outer.length < 3) return { area: 0, length };
  length += distance(outer[outer.length - 1], outer[0]);
  const area = f.chains.reduce((sum, ring, i) => sum + (i === 0 ? 1 : -1) * ringArea(ring), 0);
  return { area: Math.max(0, area) / 1e6, length };
}

// ringArea is the integral of sin(latitude) along the ring, exact on the sphere for edges straight in degrees.
function ringArea(ring: readonly Place[]): number {
  let sum = 0,
    middle = 0;
  for (let i = 0; i < ring.length; i++) {
    const a = ring[i],
      b = ring[(i + 1) % ring.length],
      p = a[1] * rad,
      q = b[1] * rad;
    const mean = Math.abs(q - p) < 1e-6 ? Math.sin((p + q) / 2) : (Math.cos(p) - Math.cos(q)) / (q - p);
    sum += (beside(b[0], a[0]) - a[0]) * rad * mean;
    middle += a[1] / ring.length;
  }
  return Math.abs(sum) * earth(middle, 0) * earth(middle, 90);
}

/** boundsOf returns west, south, east, north of chains; east may lie beyond 180. */
export function boundsOf(chains: readonly (readonly Place[])[]): [number, number, number, number] | undefined {
  let [w, s, e, n] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const chain of chains) {
    for (const [lon, lat] of chain) {
      w = Math.min(w, lon);
      e = Math.max(e, lon);
      s = Math.min(s, lat);
      n = Math.max(n, lat);
    }
  }
  return w <= e ? [w, s, e, n] : undefined;
}

/** middle is about the middle of a form: where its name stands, and what moves it as a whole. */
export function middle(f: Form): Place | undefined {
  if (f.kind === "circle" || f.kind === "point") return f.chains[0]?.[0];
  const chain = f.chains[0];
  if (!chain || chain.length === 0) return undefined;
  if (f.kind === "line") return halfway(chain);
  let area = 0,
    x = 0,
    y = 0;
  for (let i = 0; i < chain.length; i++) {
    const a = chain[i],
      b = chain[(i + 1) % chain.length],
      cross = (a[0] - chain[0][0]) * (b[1] - chain[0][1]) - (b[0] - chain[0][0]) * (a[1] - chain[0][1]);
    area += cross;
    x += (a[0] + b[0] - 2 * chain[0][0]) * cross;
    y += (a[1] + b[1] - 2 * chain[0][1]) * cross;
  }
  if (Math.abs(area) < 1e-12) return halfway(chain);
  return [chain[0][0] + x / (3 * area), chain[0][1] + y / (3 * area)];
}

function halfway(chain: readonly Place[]): Place {
  const whole = chain.reduce((sum, p, i) => sum + (i ? Math.hypot(p[0] - chain[i - 1][0], p[1] - chain[i - 1][1]) : 0), 0);
  let rest = whole / 2;
  for (let i = 1; i < chain.length; i++) {
    const leg = Math.hypot(chain[i][0] - chain[i - 1][0], chain[i][1] - chain[i - 1][1]);
    if (leg >= rest && leg > 0) return between(chain[i - 1], chain[i], rest / leg);
    rest -= leg;
  }
  return chain[0];
}

/** between is the place a part of the way from a to b. */
export function between(a: Place, b: Place, part: number): Place {
  const lon = beside(b[0], a[0]);
  return [a[0] + (lon - a[0]) * part, a[1] + (b[1] - a[1]) * part];
}

// ---- places as text ------------------------------------------------------------------------------------------------

/** write returns a place in degrees and minutes, to 0.2 m. */
export const write = (at: Place): string => placeText(normal(at[0]), at[1], 4);

/** parse reads a place: latitude and longitude in decimal degrees, degrees and minutes, or with seconds, with N, S, E, W or a
 * sign; without letters the latitude comes first. */
export function parse(text: string): Place | undefined {
  let s = text
    .trim()
    .toUpperCase()
    .replace(/[′’´]/g, "'")
    .replace(/[″”“]/g, '"')
    .replace(/−/g, "-")
    .replace(/O(?=\s|$|,|;)/g, "E");
  if (!s.includes(".") && /\d,\d/.test(s) && (/[NSEW]/.test(s) || /\d,\d+[\s;]+-?\d+,\d/.test(s))) s = s.replace(/(\d),(?=\d)/g, "$1.");
  const letters = s.match(/[NSEW]/g) ?? [];
  if (/[^0-9NSEW.,;:°º'"+\-\s]/.test(s) || (letters.length !== 0 && letters.length !== 2)) return undefined;
  const halves = letters.length === 2 ? byLetters(s) : bySpace(s);
  if (!halves) return undefined;
  let [lat, lon] = halves;
  if (/[EW]/.test(lat) || /[NS]/.test(lon)) [lat, lon] = [lon, lat];
  if (/[EW]/.test(lat) || /[NS]/.test(lon)) return undefined;
  const y = degrees(lat),
    x = degrees(lon);
  if (y === undefined || x === undefined || Math.abs(y) > 90 || Math.abs(x) > 180) return undefined;
  return [x, y];
}

function byLetters(s: string): [string, string] | undefined {
  const leading = /^[NSEW]/.test(s);
  const cut = leading ? s.slice(1).search(/[NSEW]/) + 1 : s.search(/[NSEW]/) + 1;
  return cut > 0 ? [s.slice(0, cut), s.slice(cut)] : undefined;
}

function bySpace(s: string): [string, string] | undefined {
  const parts = s.split(/[\s,;]+/).filter(Boolean);
  if (parts.length === 0 || parts.length % 2 !== 0 || parts.length > 6) return undefined;
  return [parts.slice(0, parts.length / 2).join(" "), parts.slice(parts.length / 2).join(" ")];
}

// degrees reads one of the two: up to three numbers, of which only the last has decimals.
function degrees(s: string): number | undefined {
  const parts = s.match(/\d+(?:\.\d+)?|\.\d+/g) ?? [];
  if (parts.length < 1 || parts.length > 3 || parts.slice(0, -1).some((p) => p.includes("."))) return undefined;
  const [d, m = 0, sec = 0] = parts.map(Number);
  if (m >= 60 || sec >= 60) return undefined;
  const value = d + m / 60 + sec / 3600;
  return /[SW]/.test(s) || /^\s*-/.test(s) ? -value : value;
}
