// Rows are the records of a result, with what all kinds have in common: ships, a moment, and the way around it.
import type { CallPort } from "../contract";
import { lasting } from "../text/figures";
import { parseTime } from "../time";

/** ShipOf is a ship as it was then. */
export interface ShipOf {
  mmsi: number;
  imo?: number;
  name?: string;
  callsign?: string;
  type?: string;
  length?: number;
  destination?: string;
  sog?: number;
  cog?: number;
  position?: Point;
}

interface Point {
  coordinates: number[];
}

/** RecordOf is a record of any kind, as the API gives it with the data of the ship in its entry. */
export interface RecordOf {
  ship?: ShipOf | [ShipOf, ShipOf];
  position?: Point;
  timestamp?: string;
  distance?: number;
  meeting?: string;
  domain?: number;
  domain_of?: number;
  length_assumed?: boolean;
  time_in?: string;
  time_out?: string;
  entered_before?: boolean;
  left_by_silence?: boolean;
  period?: string;
  times_in?: string[];
  times_out?: string[];
  time_inside?: string;
  direction?: string;
  direction_index?: number;
  time_first?: string;
  time_last?: string;
  duration?: string;
  result_id?: number;
  day?: string;
  sogs?: number[];
  seconds?: number;
  gap_seconds?: number;
  change?: number;
  name?: string;
  callsign?: string;
  imo?: number;
  destination?: string;
  eta?: string;
  draught?: number;
  sog?: number;
  longitude?: number;
  latitude?: number;
  track?: { coordinates: [number, number, string, number | null, number | null][] };
  port?: CallPort;
  berth?: { name?: string };
  ata?: string;
  atd?: string;
  draught_a?: number;
  draught_d?: number;
  waiting?: string;
  confidence?: number;
  from?: { port?: CallPort; atd?: string };
  to?: { port?: CallPort; ata?: string };
  max_sog?: number;
  avg_sog?: number;
  pilot?: { label?: string; index?: number; position?: Point; ship?: ShipOf; timestamp?: string }[];
  operations?: { ship?: ShipOf; timestamp?: string; position?: Point; kind?: string }[];
}

/** Row is a record that is shown. Times are Unix milliseconds. */
export interface Row {
  id: string;
  of: RecordOf;
  ships: ShipOf[];
  /** time is the moment that a click shows; from and to are those of the track around it. */
  time?: number;
  from?: number;
  to?: number;
  lon?: number;
  lat?: number;
  /** fixes is how many positions a track has. */
  fixes?: number;
}

const around = 15 * 60e3;
const day = 24 * 3600e3;

/** secondsOf reads HHH:MM:SS. */
export const secondsOf = (text: string): number => text.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);

/** lastingText writes seconds as a span. */
export const lastingText = (seconds: number): string => (seconds < 60 ? `${Math.round(seconds)} s` : lasting(seconds * 1000));

const at = (text: string | undefined): number | undefined => (text ? parseTime(text) : undefined);

/** rowsOf makes the rows of a result. */
export function rowsOf(kind: string, all: readonly RecordOf[]): Row[] {
  if (kind === "historicaltrack") return pieces(all);
  const named = new Map(all.flatMap((r) => namedIn(r).map((ship) => [ship.mmsi, ship] as const)).reverse()); // the first of them counts
  return all.filter((r) => r.result_id !== -1).map((r, i) => rowOf(r, String(i), named));
}

// namedIn returns the ship that a record names for others that have its number alone.
const namedIn = ({ result_id, ship, name }: RecordOf): ShipOf[] =>
  !ship || Array.isArray(ship) ? [] : result_id === -1 ? [ship] : name ? [{ ...ship, name }] : [];

function rowOf(of: RecordOf, id: string, named: ReadonlyMap<number, ShipOf>): Row {
  const ships =
    of.ship === undefined ? [] : Array.isArray(of.ship) ? of.ship : [of.ship.name ? of.ship : (named.get(of.ship.mmsi) ?? of.ship)];
  const pilot = of.pilot?.[0],
    operation = of.operations?.[0];
  const begin =
    at(of.time_in ?? of.timestamp ?? of.time_first ?? of.times_in?.[0] ?? of.ata ?? of.from?.atd ?? pilot?.timestamp ?? of.atd) ??
    (of.day ? Date.parse(of.day) : undefined);
  const last = of.day
    ? begin! + day
    : (at(of.time_out ?? of.time_last ?? of.times_out?.at(-1) ?? of.to?.ata ?? of.pilot?.at(-1)?.timestamp ?? (of.ata && of.atd)) ?? begin);
  const [first, second] = begin !== undefined && last !== undefined && last < begin ? [last, begin] : [begin, last];
  const place = of.position ?? ships[0]?.position ?? pilot?.position ?? operation?.position;
  return {
    id,
    of,
    ships,
    time: begin,
    ...(first !== undefined && { from: first - around, to: second! + around }),
    lon: place?.coordinates[0] ?? of.longitude,
    lat: place?.coordinates[1] ?? of.latitude,
  };
}

// pieces joins the pieces of the track of each ship.
function pieces(all: readonly RecordOf[]): Row[] {
  const rows = new Map<number, Row>();
  for (const of of all) {
    const ship = of.ship as ShipOf,
      fixes = of.track?.coordinates ?? [];
    if (fixes.length === 0) continue;
    const from = Date.parse(fixes[0][2]),
      to = Date.parse(fixes.at(-1)![2]);
    const row = rows.get(ship.mmsi);
    if (row) Object.assign(row, { to: Math.max(row.to!, to), fixes: row.fixes! + fixes.length });
    else rows.set(ship.mmsi, { id: String(ship.mmsi), of: { ship }, ships: [ship], time: from, from, to, fixes: fixes.length });
  }
  return [...rows.values()];
}

/** Speeds is what a distribution of speed says in figures: seconds, and knots. */
export interface Speeds {
  moving: number;
  resting: number;
  mean?: number;
  top?: number;
}

/** speedsOf sums up a distribution; an index stands for half a knot. */
export function speedsOf(sogs: readonly number[]): Speeds {
  const moving = sogs.slice(1).reduce((sum, s) => sum + s, 0),
    way = sogs.reduce((sum, s, i) => sum + s * (i / 2), 0);
  const top = sogs.findLastIndex((s) => s > 0);
  return { moving, resting: sogs[0] ?? 0, ...(moving > 0 && { mean: way / moving, top: top / 2 }) };
}
