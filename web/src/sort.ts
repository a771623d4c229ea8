// The order of the ship list. Stations stand behind ships in every order, and what is not known stands last.
import { plain } from "./letters";
import { firstStation, groups } from "./palette";
import type { Ship } from "./ship";
import { statusText, typeText } from "./text/text";

/** columnNames are the columns of the ship list, in their order. */
export const columnNames = ["name", "type", "flag", "length", "sog", "cog", "destination", "status", "heard", "distance"] as const;
/** Column is one of them. */
export type Column = (typeof columnNames)[number];
/** Order is the column that the list is sorted by, and whether from the largest down. */
export interface Order {
  column: Column;
  down: boolean;
}

type Key = string | number | undefined;
type Distance = (s: Ship) => number | undefined;

const folded = (text: string | undefined): Key => (text === undefined ? undefined : plain(text)); // "Ölbekämpfung" stands among the O

const values: Record<Column, (ship: Ship, distance: Distance) => Key> = {
  name: (s) => s.name?.toLowerCase(),
  type: (s) => folded(typeText(s)),
  flag: (s) => s.country,
  length: (s) => s.length || undefined,
  sog: (s) => s.sog,
  cog: (s) => s.cog,
  destination: (s) => s.destination,
  status: (s) => folded(statusText(s)),
  heard: (s) => s.time || undefined,
  distance: (s, distance) => distance(s),
};

/** value gives what a column sorts by; undefined is not known. */
export const value = (ship: Ship, column: Column, distance: Distance): Key => values[column](ship, distance);

/** sorted puts ships into the order; equal ones by MMSI, so that rows do not dance. */
export function sorted(ships: Ship[], order: Order, distance: Distance): Ship[] {
  const keyed = ships.map((ship) => ({
    ship,
    station: groups.indexOf(ship.group) >= firstStation && ship.group !== "distress" ? 1 : 0,
    key: value(ship, order.column, distance),
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
