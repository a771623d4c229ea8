// The board of a port: a row for each berth, and rows for the ships that lie elsewhere.
import type { Berth, Visit } from "./model";

/** Row is a place of a port and the ships that lie there, the first that came first. */
export interface Row {
  key: string;
  kind: "berth" | "alongside" | "anchor" | "leaving";
  name: string; // of a berth
  metres?: number; // the length of a berth
  free?: number; // metres that no ship takes; less than 0 when they take more than there is
  from?: number; // when the last of its ships leaves as planned, where that is known of all
  unsure: boolean; // the length of a ship is not known, so that less may be free
  over: boolean; // the ships are longer than the berth, or its length is not known and there are several
  ships: Visit[];
}

// whereOf tells at which place of the port a ship is.
function whereOf({ call }: Visit): { kind: Row["kind"]; key: string; name: string } {
  const last = call.stays[call.stays.length - 1];
  if (!last || call.left) return { kind: "leaving", key: "leaving", name: "" };
  if (!last.berthed) return { kind: "anchor", key: "anchor", name: "" };
  if (last.berth === "") return { kind: "alongside", key: "alongside", name: "" };
  return { kind: "berth", key: "berth " + last.berth, name: last.berth };
}

const order = { berth: 0, alongside: 1, anchor: 2, leaving: 3 };

/** rowsOf returns the rows of a board: all berths by name, then the others where ships lie. */
export function rowsOf(visits: readonly Visit[], berths: readonly Berth[]): Row[] {
  const rows = new Map<string, Row>();
  const row = (key: string, kind: Row["kind"], name: string, metres?: number): Row => {
    let one = rows.get(key);
    if (!one) rows.set(key, (one = { key, kind, name, metres, unsure: false, over: false, ships: [] }));
    return one;
  };
  for (const { name, length } of berths) row("berth " + name, "berth", name, length);
  for (const visit of visits) {
    const { kind, key, name } = whereOf(visit);
    row(key, kind, name).ships.push(visit);
  }
  for (const one of rows.values()) measure(one);
  const names = new Intl.Collator(undefined, { numeric: true });
  return [...rows.values()].sort((a, b) => order[a.kind] - order[b.kind] || names.compare(a.name, b.name));
}

// measure works out what is free at a berth.
function measure(row: Row): void {
  row.ships.sort((a, b) => (sinceOf(a) ?? 0) - (sinceOf(b) ?? 0) || a.ship.mmsi - b.ship.mmsi);
  if (row.kind !== "berth") return;
  const leave = row.ships.map((v) => v.etd ?? Infinity);
  if (row.ships.length > 0 && Math.max(...leave) < Infinity) row.from = Math.max(...leave);
  row.unsure = row.ships.some((v) => !v.ship.length);
  if (row.metres !== undefined) row.free = row.metres - row.ships.reduce((sum, v) => sum + (v.ship.length ?? 0), 0);
  row.over = row.free === undefined ? row.ships.length > 1 : row.free < 0;
}

/** boardOf parts the rows of a board: those at which ships of a kind lie, with these ships alone, and the berths that are free. kind is "all" for any. */
export function boardOf(visits: readonly Visit[], berths: readonly Berth[], kind: string): { taken: Row[]; free: Row[] } {
  const rows = rowsOf(visits, berths),
    of = (row: Row): Row => (kind === "all" ? row : { ...row, ships: row.ships.filter((v) => v.group === kind) });
  return { taken: rows.map(of).filter((row) => row.ships.length > 0), free: rows.filter((row) => row.ships.length === 0) };
}

/** sinceOf returns since when a ship lies where it lies: at its first berth since its arrival, which a user may have corrected. Of a ship that has
 * let go it is when it came. */
export function sinceOf({ call }: Visit): number | undefined {
  const first = call.stays.findIndex((stay) => stay.berthed),
    lies = call.left ? undefined : call.stays[call.stays.length - 1]?.from;
  return call.left || first === call.stays.length - 1 ? (call.ata ?? lies) : lies;
}
