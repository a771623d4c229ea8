// The order of the ship list. Stations stand behind ships in every order, and what is not known stands last.
import { firstStation, groups } from "./palette";
import type { Ship } from "./ship";

/** Column is a column of the ship list. */
export type Column = "name" | "type" | "flag" | "length" | "sog" | "cog" | "destination" | "status" | "heard" | "distance";
/** Order is the column that the list is sorted by, and whether from the largest down. */
export interface Order {
  column: Column;
  down: boolean;
}

/** value gives what a column sorts by; undefined is not known. */
export function value(ship: Ship, column: Column, distance: (s: Ship) => number | undefined): string | number | undefined {
  switch (column) {
    case "name":
      return ship.name?.toLowerCase();
    case "type":
      return ship.type;
    case "flag":
      return ship.country;
    case "length":
      return ship.length || undefined;
    case "sog":
      return ship.sog;
    case "cog":
      return ship.cog;
    case "destination":
      return ship.destination;
    case "status":
      return ship.nav_status_text;
    case "heard":
      return ship.time || undefined;
    case "distance":
      return distance(ship);
  }
}

/** sorted puts ships into the order; equal ones by MMSI, so that rows do not dance. */
export function sorted(ships: Ship[], order: Order, distance: (s: Ship) => number | undefined): Ship[] {
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
