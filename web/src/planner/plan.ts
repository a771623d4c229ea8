// Plan is what a user asks of the route planner, and how it stands in the address.
import type { Point, RouteEnd, RouteRequest } from "../contract";
import type { Place } from "../geometry";

/** PortStop is a port, by its id where that is known, else by a LOCODE or name. */
export interface PortStop {
  kind: "port";
  id?: number;
  text: string; // LOCODE or name; "" of a port that has an id alone
  name?: string; // to show
  at?: Place;
}
/** ShipStop is a ship, at its last position. */
export interface ShipStop {
  kind: "ship";
  mmsi: number;
}
/** PlaceStop is a position; its name is that of what stood there when it was chosen. */
export interface PlaceStop {
  kind: "place";
  at: Place;
  name?: string;
}
/** Stop is an end or a waypoint of a plan. A waypoint is a position in any case: the interface takes nothing else. */
export type Stop = PortStop | ShipStop | PlaceStop;

/** Plan is the question: two ends, the places between in their order, and what holds for the way. */
export interface Plan {
  from?: Stop;
  via: readonly PlaceStop[];
  to?: Stop;
  avoid: readonly string[]; // passages that are closed
  draught?: number; // metres
  speed?: number; // knots
  departure?: number; // Unix milliseconds
}

/** nothing is the plan in which nothing is said. */
export const nothing: Plan = { via: [], avoid: [] };
/** mostVia is how many waypoints the server takes. */
export const mostVia = 100;

/** stopsOf returns the stops in their order, the ends first and last. */
export const stopsOf = (p: Plan): (Stop | undefined)[] => [p.from, ...p.via, p.to];

/** letterOf names a stop, on the map and in the list: A and B the ends, numbers the waypoints. */
export const letterOf = (p: Plan, i: number): string => (i === 0 ? "A" : i > p.via.length ? "B" : String(i));

/** withStop puts a stop in the place of another; a waypoint that is none any more goes. */
export function withStop(p: Plan, i: number, stop: Stop | undefined): Plan {
  if (i === 0) return { ...p, from: stop };
  if (i > p.via.length) return { ...p, to: stop };
  if (stop?.kind === "place") return { ...p, via: p.via.map((old, k) => (k === i - 1 ? stop : old)) };
  return { ...p, via: p.via.filter((_, k) => k !== i - 1) };
}

/** withVia puts a waypoint before another stop. */
export const withVia = (p: Plan, before: number, stop: PlaceStop): Plan =>
  p.via.length >= mostVia ? p : { ...p, via: [...p.via.slice(0, before - 1), stop, ...p.via.slice(before - 1)] };

/** turned is the way back. */
export const turned = (p: Plan): Plan => ({ ...p, from: p.to, via: [...p.via].reverse(), to: p.from });

/** closing closes a passage, or opens it again. */
export const closing = (p: Plan, name: string, closed: boolean): Plan => ({
  ...p,
  avoid: [...p.avoid.filter((one) => one !== name), ...(closed ? [name] : [])],
});

/** bodyOf is a plan as the interface takes it; undefined while an end is missing. */
export function bodyOf(p: Plan): RouteRequest | undefined {
  if (!p.from || !p.to) return undefined;
  return {
    source: endOf(p.from),
    destination: endOf(p.to),
    ...(p.via.length > 0 && { waypoints: p.via.map(placeOf) }),
    ...(p.avoid.length > 0 && { avoid: [...p.avoid] }),
    ...(p.draught && { draught: p.draught }),
  };
}

const placeOf = ({ at: [lon, lat] }: PlaceStop): { position: Point } => ({ position: { type: "Point", coordinates: [lon, lat] } });

/** endOf is a stop as the interface takes it. */
export function endOf(stop: Stop): RouteEnd {
  if (stop.kind === "ship") return { ship: { mmsi: stop.mmsi } };
  if (stop.kind === "place") return placeOf(stop);
  return { port: stop.id ? { id: stop.id } : stop.text };
}

// ---- the address -------------------------------------------------------------------------------------------------

const mostName = 64; // letters of a name in the address
const code = /^[A-Z]{2}[A-Z0-9]{3}$/;

/** readPlan reads the plan out of the fields of an address; undefined where there is none. What it cannot read it leaves out. */
export function readPlan(fields: URLSearchParams): Plan | undefined {
  const given = fields.get("r");
  if (given === null) return undefined;
  const words = given.split("/"),
    last = Math.max(1, words.length - 1);
  const via = words.slice(1, last).map(readStop);
  const avoid = (fields.get("ra") ?? "").split(",").filter((name) => name !== "");
  return {
    from: readStop(words[0]),
    via: via.filter((stop) => stop?.kind === "place").slice(0, mostVia),
    to: readStop(words[last] ?? ""),
    avoid: [...new Set(avoid)],
    draught: readNumber(fields.get("rd"), 100),
    speed: readNumber(fields.get("rk"), 100),
    departure: readTime(fields.get("rt")),
  };
}

function readNumber(text: string | null, most: number): number | undefined {
  const value = Number(text);
  return text !== null && value > 0 && value <= most ? value : undefined;
}

function readTime(text: string | null): number | undefined {
  const [, day, hour] = /^(\d{8})T(\d{4})$/.exec(text ?? "") ?? [];
  if (!day) return undefined;
  const time = Date.parse(`${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}T${hour.slice(0, 2)}:${hour.slice(2)}Z`);
  return Number.isFinite(time) ? time : undefined;
}

function readStop(text: string): Stop | undefined {
  const star = text.indexOf("*"),
    word = star < 0 ? text : text.slice(0, star),
    name = star < 0 ? undefined : text.slice(star + 1, star + 1 + mostName) || undefined;
  if (code.test(word)) return { kind: "port", text: word, name };
  if (/^p\d{1,12}$/.test(word)) return { kind: "port", id: Number(word.slice(1)), text: "", name };
  if (/^m\d{1,9}$/.test(word)) return { kind: "ship", mmsi: Number(word.slice(1)) };
  if (word === "n" && name) return { kind: "port", text: name };
  const at = word.split(",").map(Number);
  if (word === "" || at.length !== 2 || !at.every(Number.isFinite) || Math.abs(at[0]) > 180 || Math.abs(at[1]) > 90) return undefined;
  return { kind: "place", at: [at[0], at[1]], name };
}

/** writePlan writes a plan into the fields of an address. */
export function writePlan(p: Plan, fields: URLSearchParams): void {
  if (!p.from && !p.to && p.via.length === 0) return;
  fields.set("r", stopsOf(p).map(writeStop).join("/"));
  if (p.avoid.length > 0) fields.set("ra", p.avoid.join(","));
  if (p.draught) fields.set("rd", String(p.draught));
  if (p.speed) fields.set("rk", String(p.speed));
  if (p.departure !== undefined) fields.set("rt", new Date(p.departure).toISOString().replace(/[-:]/g, "").slice(0, 13));
}

function writeStop(stop: Stop | undefined): string {
  if (!stop) return "-";
  if (stop.kind === "ship") return `m${stop.mmsi}`;
  const name = (stop.kind === "place" ? stop.name : stop.id ? stop.name : stop.text)?.replace(/[/*]/g, " ").slice(0, mostName);
  const label = name ? `*${name}` : "";
  if (stop.kind === "place") return stop.at.map((v) => Number(v.toFixed(5))).join() + label;
  if (code.test(stop.text)) return stop.text;
  return stop.id ? `p${stop.id}${label}` : `n${label}`;
}
