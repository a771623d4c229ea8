// Change is the client's copy of something that changed of a ship.
import { send } from "../api";
import type { ShipChanges, ShipValue } from "../contract";
import type { Ship } from "../ship";
import { parseTime } from "../time";

/** Value is what a field was or is; null where the crew says nothing. */
export type Value = ShipValue;

/** Hull is the size of a ship: metres from the antenna to bow, stern, port and starboard. */
export type Hull = Extract<Value, object>;

/** Change is one field of a ship that changed, at a time in Unix milliseconds. */
export interface Change {
  time: number;
  field: string;
  was: Value;
  now: Value;
}

/** Changes are those from a time on, the latest first; more tells that older ones may be known. */
export interface Changes {
  from: number;
  more: boolean;
  records: Change[];
}

/** changesOf reads an answer of the API. */
export const changesOf = ({ from, more, records }: Omit<ShipChanges, "mmsi">): Changes => ({
  from: parseTime(from),
  more,
  records: records.map(({ time, field, was, now }) => ({ time: parseTime(time), field, was, now })),
});

const older = "720:00:00"; // how far back each further question goes

/** loadChanges asks for the changes of the last day, or for those of a month before a time. */
export async function loadChanges(mmsi: number, before?: number): Promise<Changes> {
  const query = before === undefined ? "" : `?duration=${older}&end=${new Date(before).toISOString()}`;
  return changesOf(await send<ShipChanges>("GET", `portserver/ship/historical/change/${mmsi}${query}`));
}

/** renewed puts the latest changes in the place of those that were known, and keeps the older ones. */
export function renewed(latest: Changes, were: Changes | undefined): Changes {
  if (!were || were.from >= latest.from) return latest;
  return { from: were.from, more: were.more, records: [...latest.records, ...were.records.filter(({ time }) => time < latest.from)] };
}

/** lengthened puts older changes behind those that were known. */
export const lengthened = (were: Changes, before: Changes): Changes => ({
  ...before,
  records: [...were.records, ...before.records.filter(({ time }) => time < were.from)],
});

/** stateOf is a text that is another one when something of a ship has changed of which the past is told. */
export const stateOf = (s: Ship): string =>
  [s.nav_status, s.destination, s.eta, s.draught, s.name, s.callsign, s.imo, s.type_code, s.dim_a, s.dim_b, s.dim_c, s.dim_d].join("\n");
