// The order of the ship list. Stations stand behind ships in every order, and what is not known stands last.
import type { Lying } from "./inport";
import { plain } from "./letters";
import { firstStation, groups } from "./palette";
import type { Ship } from "./ship";
import { statusText, typeText } from "./text/text";

/** columnNames are the columns of the ship list, in their order. */
export const columnNames = [
  "name",
  "type",
  "flag",
  "length",
  "draught",
  "sog",
  "cog",
  "destination",
  "eta",
  "port",
  "berth",
  "status",
  "heard",
  "distance",
  "bearing",
  "callsign",
  "imo",
] as const;
/** Column is one of them. */
export type Column = (typeof columnNames)[number];
/** usual are the columns that a user begins with who chooses columns. */
export const usual: readonly Column[] = ["type", "flag", "length", "sog", "cog", "destination", "status", "heard", "distance"];
/** ofPort are those that tell where a ship lies. They are asked for, so they show only when they are chosen. */
export const ofPort: ReadonlySet<Column> = new Set(["port", "berth"]);
/** Order is the column that the list is sorted by, and whether from the largest down. */
export interface Order {
  column: Column;
  down: boolean;
}

type Key = string | number | undefined;
/** From tells how far a ship is, and in which direction, from where the list measures; and where the ship lies, once that is known. */
export interface From {
  distance: (s: Ship) => number | undefined;
  bearing: (s: Ship) => number | undefined;
  lying?: (s: Ship) => Lying | undefined;
}

const folded = (text: string | undefined): Key => (text === undefined ? undefined : plain(text)); // "Ölbekämpfung" stands among the O
const counted = (text: string | undefined): Key => text && plain(text).replace(/\d+/g, (digits) => digits.padStart(9, "0")); // 2 before 10

const values: Record<Column, (ship: Ship, from: From) => Key> = {
  name: (s) => s.name?.toLowerCase(),
  type: (s) => folded(typeText(s)),
  flag: (s) => s.country,
  length: (s) => s.length || undefined,
  draught: (s) => s.draught || undefined,
  sog: (s) => s.sog,
  cog: (s) => s.cog,
  destination: (s) => s.destination,
  eta: (s) => s.eta || undefined,
  port: (s, from) => {
    const { port, berth } = from.lying?.(s) ?? {};
    return port && `${counted(port)}\n${counted(berth) ?? ""}`;
  },
  berth: (s, from) => counted(from.lying?.(s)?.berth),
  status: (s) => folded(statusText(s)),
  heard: (s) => s.time || undefined,
  distance: (s, from) => from.distance(s),
  bearing: (s, from) => from.bearing(s),
  callsign: (s) => s.callsign?.toLowerCase() || undefined,
  imo: (s) => s.imo || undefined,
};

/** value returns what a column sorts by; undefined is not known. */
export const value = (ship: Ship, column: Column, from: From): Key => values[column](ship, from);

/** sorted puts ships into the order; equal ones by MMSI, so that rows do not dance. */
export function sorted(ships: Ship[], order: Order, from: From): Ship[] {
  const keyed = ships.map((ship) => ({
    ship,
    station: groups.indexOf(ship.group) >= firstStation && ship.group !== "distress" ? 1 : 0,
    key: value(ship, order.column, from),
  }));
  const sign = order.down ? -1 : 1;
  keyed.sort((a, b) => {
    if (a.station !== b.station) return a.station - b.station;
    if (a.key === undefined || b.key === undefined)
      return (a.key === undefined ? 1 : 0) - (b.key === undefined ? 1 : 0) || a.ship.mmsi - b.ship.mmsi;
    if (a.key < b.key) return -sign;
    if (a.key > b.key) return sign;
    return a.ship.mmsi - b.ship.mmsi;
  });
  return keyed.map((k) => k.ship);
}
