// Ruler measures on the map: range and bearing from place to place, and between ships how near they will come. It knows pixels and places, nothing of
// OpenLayers, so that its tests need no browser.
import type { Palette } from "../palette";
import { mercatorX, mercatorY } from "../picture";
import { bearing, distance, normal, type Place } from "../geometry";
import type { Ship } from "../ship";
import { course, measured } from "../text/figures";
import { placeAt } from "./pen";
import type { Overlay } from "./tool";
import { across, down, world, type Screen } from "./view";

const most = 50; // points
const straight = 100e3; // metres: a longer leg bends on the map
const moving = 0.5; // knots: below it there is no time of arrival
const metresPerKnot = 1852 / 3600; // a second
const rad = Math.PI / 180;

/** Point is what a leg begins or ends at: a place, or a ship, with which it moves. */
export type Point = { place: Place } | { mmsi: number };

/** Leg is the way between two points: metres, and degrees true at its begin. */
export interface Leg {
  from: Place;
  to: Place;
  metres: number;
  bearing: number;
}

/** Approach is how near two ships come if both keep course and speed: metres, and in how many seconds; below 0 that was. */
export interface Approach {
  metres: number;
  seconds: number;
}

/** approach works out the closest point of approach of two ships on a plane; undefined where one of them has no place, course or speed. */
export function approach(a: Ship | undefined, b: Ship | undefined): Approach | undefined {
  const [va, vb] = [a, b].map(velocity);
  if (!va || !vb || a!.lon === undefined || b!.lon === undefined) return undefined;
  const metres = distance([a!.lon, a!.lat!], [b!.lon, b!.lat!]),
    towards = bearing([a!.lon, a!.lat!], [b!.lon, b!.lat!]) * rad,
    x = metres * Math.sin(towards),
    y = metres * Math.cos(towards),
    [dx, dy] = [vb[0] - va[0], vb[1] - va[1]],
    closing = dx * dx + dy * dy;
  if (closing < 1e-4) return { metres, seconds: 0 }; // they keep their distance
  const seconds = -(x * dx + y * dy) / closing;
  return { metres: Math.hypot(x + dx * seconds, y + dy * seconds), seconds };
}

// velocity returns metres a second to the east and to the north. A ship at rest needs no course.
function velocity(ship: Ship | undefined): [number, number] | undefined {
  if (!ship || ship.sog === undefined) return undefined;
  if (ship.sog < moving) return [0, 0];
  if (ship.cog === undefined) return undefined;
  const metres = ship.sog * metresPerKnot;
  return [metres * Math.sin(ship.cog * rad), metres * Math.cos(ship.cog * rad)];
}

/** bent returns the places of a great circle from a to b, often enough that their edges look bent. */
export function bent(a: Place, b: Place, metres: number): Place[] {
  const parts = Math.min(64, Math.ceil(metres / straight));
  if (parts < 2) return [a, b];
  const vector = ([lon, lat]: Place): number[] => [
    Math.cos(lat * rad) * Math.cos(lon * rad),
    Math.cos(lat * rad) * Math.sin(lon * rad),
    Math.sin(lat * rad),
  ];
  const [p, q] = [vector(a), vector(b)],
    angle = Math.acos(Math.max(-1, Math.min(1, p[0] * q[0] + p[1] * q[1] + p[2] * q[2])));
  if (angle < 1e-9 || Math.PI - angle < 1e-9) return [a, b];
  return Array.from({ length: parts + 1 }, (_, i) => {
    const s = Math.sin((1 - i / parts) * angle) / Math.sin(angle),
      t = Math.sin((i / parts) * angle) / Math.sin(angle),
      [x, y, z] = p.map((v, k) => s * v + t * q[k]);
    return [Math.atan2(y, x) / rad, Math.atan2(z, Math.hypot(x, y)) / rad];
  });
}

export class Ruler implements Overlay {
  readonly aims = true;
  points: Point[] = [];
  /** cursor is where the next point would be. */
  cursor?: Place;

  /** shipOf finds a ship of the picture; changed is called after each change. */
  constructor(
    private readonly shipOf: (mmsi: number) => Ship | undefined,
    private readonly changed: () => void,
  ) {}

  /** begin measures anew, from a ship where there is one. */
  begin(from?: number): void {
    this.points = from && this.placed({ mmsi: from }) ? [{ mmsi: from }] : [];
    this.cursor = undefined;
    this.changed();
  }

  /** undo takes the last point back. */
  undo(): void {
    this.points = this.points.slice(0, -1);
    this.changed();
  }

  /** ship is the ship of a point, if it is one. */
  ship(point: Point | undefined): Ship | undefined {
    return point && "mmsi" in point ? this.shipOf(point.mmsi) : undefined;
  }

  // placed returns where a point is now; a ship that left the picture has no place.
  private placed(point: Point): Place | undefined {
    if ("place" in point) return point.place;
    const ship = this.shipOf(point.mmsi);
    return ship?.lon === undefined || ship.lat === undefined ? undefined : [ship.lon, ship.lat];
  }

  /** legs are the ways between the points, and with the pointer the one to it. */
  legs(pointer = true): Leg[] {
    const places = this.points.map((point) => this.placed(point)).filter((place) => place !== undefined);
    if (pointer && this.cursor && places.length > 0) places.push(this.cursor);
    return places.slice(1).map((to, i) => ({ from: places[i], to, metres: distance(places[i], to), bearing: bearing(places[i], to) }));
  }

  /** approach is that of the last two points, where both are ships. */
  approach(): Approach | undefined {
    const [a, b] = this.points.slice(-2).map((point) => this.ship(point));
    return this.points.length < 2 ? undefined : approach(a, b);
  }

  /** knots is the speed by which times are told: that of the ship at which the measuring begins. */
  knots(): number | undefined {
    const sog = this.ship(this.points[0])?.sog;
    return sog !== undefined && sog >= moving ? sog : undefined;
  }

  // ---- the pointer -----------------------------------------------------------------------------------------------

  down(): boolean {
    return false;
  }

  drag(): void {}

  up(): void {}

  move(s: Screen, x: number, y: number): boolean {
    this.cursor = at(s, x, y);
    if (this.points.length > 0) this.changed();
    return false;
  }

  leave(): void {
    this.cursor = undefined;
    this.changed();
  }

  click(s: Screen, x: number, y: number, _touch: boolean, ship: Ship | undefined): boolean {
    if (this.points.length < most) this.points = [...this.points, ship ? { mmsi: ship.mmsi } : { place: at(s, x, y) }];
    this.cursor = undefined; // the leg that was measured is told until the pointer moves on
    this.changed();
    return true;
  }

  // ---- the canvas ------------------------------------------------------------------------------------------------

  paintLow(): void {}

  paintHigh(c: CanvasRenderingContext2D, s: Screen, p: Palette): void {
    const legs = this.legs();
    c.lineJoin = "round";
    for (const leg of legs) drawLeg(c, s, p, leg);
    for (const point of this.points) {
      const place = this.placed(point);
      if (place) dot(c, s, p, place);
    }
    for (const leg of legs) label(c, s, p, leg);
  }
}

// at returns the place under a pixel, within 180 degrees and the map.
const at = (s: Screen, x: number, y: number): Place => {
  const [lon, lat] = placeAt(s, x, y);
  return [normal(lon), lat];
};

function drawLeg(c: CanvasRenderingContext2D, s: Screen, p: Palette, { from, to, metres }: Leg): void {
  const round = (world * s.ratio) / s.resolution; // pixels
  let last: number | undefined;
  c.beginPath();
  for (const [lon, lat] of bent(from, to, metres)) {
    let x = across(s, mercatorX(lon));
    if (last !== undefined) x += Math.round((last - x) / round) * round; // across the date line it goes on
    last = x;
    c.lineTo(x, down(s, mercatorY(lat)));
  }
  for (const [ink, width] of [[p.halo, 5] as const, [p.selected, 2] as const]) {
    c.strokeStyle = ink;
    c.lineWidth = width * s.ratio;
    c.stroke();
  }
}

function dot(c: CanvasRenderingContext2D, s: Screen, p: Palette, [lon, lat]: Place): void {
  c.beginPath();
  c.arc(across(s, mercatorX(lon)), down(s, mercatorY(lat)), 4 * s.ratio, 0, 7);
  c.fillStyle = p.selected;
  c.fill();
  c.strokeStyle = p.halo;
  c.lineWidth = 2 * s.ratio;
  c.stroke();
}

// label writes range and bearing of a leg beside its end, where the map has room.
function label(c: CanvasRenderingContext2D, s: Screen, p: Palette, { to, metres, bearing: degrees }: Leg): void {
  if (metres < 0.5) return; // there is no direction yet
  const text = `${measured(metres)}  ${course(degrees)}`,
    column = across(s, mercatorX(to[0])),
    aside = 12 * s.ratio,
    above = 14 * s.ratio;
  c.font = `600 ${12 * s.ratio}px system-ui, sans-serif`;
  const width = c.measureText(text).width,
    x = column + aside + width > s.width ? column - aside - width : column + aside,
    row = down(s, mercatorY(to[1])),
    y = row < above + aside ? row + above : row - above;
  c.textBaseline = "middle";
  c.strokeStyle = p.halo;
  c.lineWidth = 4 * s.ratio;
  c.strokeText(text, x, y);
  c.fillStyle = p.text;
  c.fillText(text, x, y);
}
