// The plan of the berths of a port: which ships lie at each, which are planned there, and what does not fit.
import type { Group } from "../palette";
import type { Berth, Expected, Vessel, Visit } from "./model";
import { berthOf } from "./words";

/** Conflict is what does not fit: a ship that is too long or too deep for its berth by so many metres, or that lies there beside others that leave it no room. */
export type Conflict = { kind: "long"; metres: number } | { kind: "deep"; metres: number } | { kind: "room"; with: Vessel };

/** Planned is a ship that lies at a berth, or is planned there. */
export interface Planned {
  key: string;
  ship: Vessel;
  group: Group;
  here: boolean; // it lies there
  from?: number; // since when it lies there, or when it comes
  by?: "erp" | "eta" | "crew"; // who says when it comes: the plan of the port, else our ETA, else that of its crew
  to?: number; // when it leaves as planned
  conflicts: Conflict[];
}

/** BerthRow is a berth with its ships, the first that comes first. */
export interface BerthRow {
  name: string; // "" of ships for which none is planned
  berth?: Berth;
  ships: Planned[];
}

/** berthPlan returns the berths at which ships lie or are planned, by name, and last the ships for which none is planned. */
export function berthPlan(expected: readonly Expected[], lying: readonly Visit[], berths: readonly Berth[]): BerthRow[] {
  const rows = new Map<string, BerthRow>();
  const put = (name: string, one: Planned): void => {
    const row = rows.get(name) ?? { name, berth: berths.find((each) => each.name === name), ships: [] };
    rows.set(name, row);
    row.ships.push(one);
  };
  for (const { key, ship, group, call, etd } of lying) {
    const last = call.stays[call.stays.length - 1];
    if (!last?.berthed || last.berth === "" || call.left) continue;
    put(last.berth, { key, ship, group, here: true, from: last.from, to: etd, conflicts: [] });
  }
  for (const coming of expected) {
    const { key, ship, group, tracked, eta, crew } = coming,
      { plan } = tracked ?? {},
      by = plan?.eta !== undefined ? "erp" : eta !== undefined ? "eta" : crew !== undefined ? "crew" : undefined,
      from = plan?.eta ?? eta ?? crew;
    put(berthOf(coming, berths), { key, ship, group, here: false, from, by, to: plan?.etd, conflicts: [] });
  }
  for (const row of rows.values()) judge(row);
  const names = new Intl.Collator(undefined, { numeric: true });
  return [...rows.values()].sort((a, b) => Number(a.name === "") - Number(b.name === "") || names.compare(a.name, b.name));
}

function judge({ name, berth, ships }: BerthRow): void {
  ships.sort((a, b) => Number(b.here) - Number(a.here) || (a.from ?? Infinity) - (b.from ?? Infinity) || a.ship.mmsi - b.ship.mmsi);
  if (name === "") return;
  for (const [i, one] of ships.entries()) {
    if (one.here) continue; // what lies there is no plan
    const { length = 0, draught = 0 } = one.ship;
    if (berth?.length !== undefined && length > berth.length) one.conflicts.push({ kind: "long", metres: length - berth.length });
    if (berth?.max_draught !== undefined && draught > berth.max_draught)
      one.conflicts.push({ kind: "deep", metres: draught - berth.max_draught });
    const meets = ships.slice(0, i).filter((other) => meet(other, one));
    if (meets.length > 0 && !hasRoom(berth, [...meets, one])) one.conflicts.push({ kind: "room", with: meets[0].ship });
  }
}

// meet tells whether two ships are at their berth at one time. Of a ship whose departure nobody planned it is known only that it is there when it comes.
function meet(a: Planned, b: Planned): boolean {
  const begin = (one: Planned): number => (one.here ? -Infinity : (one.from ?? Number.NaN)),
    end = (one: Planned): number => one.to ?? begin(one);
  return begin(a) <= end(b) && begin(b) <= end(a);
}

// hasRoom tells whether ships fit at a berth beside each other. Where a length is not known it is taken that two do not.
const hasRoom = (berth: Berth | undefined, ships: readonly Planned[]): boolean =>
  berth?.length !== undefined &&
  ships.every(({ ship }) => ship.length) &&
  ships.reduce((sum, { ship }) => sum + ship.length!, 0) <= berth.length;
