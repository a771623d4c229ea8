// What the server tells of a port: its borders and berths, the calls of ships, and the ships that are expected.
import { send } from "../api";
import { says } from "../bound";
import { callOf, type Call } from "../calls/call";
import type { Arrival, Point, PortCall, PortInfo, PortRequest, ShipTrack } from "../contract";
import type { Group } from "../palette";
import { portText } from "../portname";
import type { Ship } from "../ship";
import { parseSpan, parseTime } from "../time";
import { planOf, type Plan } from "../tracked/erp";
import type { Advice } from "../tracked/track";

/** berthRadius is that of the ring which the map shows at the position of a berth, in metres. */
export const berthRadius = 15;

/** Berth is a berth of a port; one that is yet to be made has no id. */
export type Berth = NonNullable<PortRequest["berths"]>[number];

/** Vessel is a ship as lists about a port name it; lengths are metres. */
export type Vessel = Pick<Arrival["ship"], "mmsi" | "name" | "type" | "length" | "draught">;

/** Visit is a call of a ship at the port. */
export interface Visit {
  key: string;
  ship: Vessel;
  group: Group;
  call: Call & { left: boolean }; // left: it has let go, and may still be in the port
  etd?: number; // when the port planned it to leave
  previous: string; // the port at which it lay before, "" where that is not known
  next: string; // and after; else the destination of a ship that is in port
}

/** Span is a time from its begin to its end. */
interface Span {
  begin: number;
  end: number;
}

/** Visits are the calls that a question has. */
export interface Visits {
  all: Visit[];
  more: boolean;
}

/** Expected is a ship on its way to the port. */
export interface Expected {
  key: string;
  ship: Vessel;
  group: Group;
  eta?: number; // ours
  crew?: number; // as the crew typed it
  late?: string; // by which the crew was late on its last calls, as 00:41:00; with a minus for early
  calls: number; // that tell it
  metres?: number; // by sea
  tracked?: Followed;
}

/** Followed is what is known of a ship that is tracked to the port. */
export interface Followed {
  id: number; // of the track
  status: number;
  low?: number; // the range of our ETA
  high?: number;
  after?: number; // milliseconds from when the ship sails on
  stale: boolean;
  plan: Plan;
  requested: Requested[]; // by time
  advice?: Advice & { place: string; time: number }; // for the next of them
}

/** places are those at which a port asks a ship to be, in the order in which ships come there. */
export const places = ["border", "pilot", "anchorage", "berth"] as const;

/** Wanted is a place at which a port asks a ship to be. */
export type Wanted = (typeof places)[number];

/** Requested is a time at which the port asks a ship to be at a place. */
export interface Requested {
  place: Wanted;
  time: number;
  position?: Point;
  berth?: string; // which of the port is meant, by its name
}

/** ask has the port ask the ship of a track for something. It gives the ship as it is expected then. */
export async function ask(track: number, { time, ...asked }: Requested): Promise<Expected | undefined> {
  const body = { ...asked, time: new Date(time).toISOString() };
  return expectedOf(await send<ArrivalOfAPI>("PUT", `portserver/ship/track/${track}/requested`, body));
}

/** takeBack takes back what the port asks of the ship of a track at a place. */
export const takeBack = (track: number, place: Wanted): Promise<unknown> =>
  send("PUT", `portserver/ship/track/${track}/requested`, { place, time: null });

const words: [string, Group][] = [
  ["Tanker", "tanker"],
  ["Cargo", "cargo"],
  ["Passenger", "passenger"],
  ["High speed", "hsc"],
  ["Wing in ground", "hsc"],
  ["Fishing", "fishing"],
  ["Sailing", "leisure"],
  ["Pleasure", "leisure"],
  ["Search and rescue", "authority"],
  ["Law enforcement", "authority"],
  ["Military", "authority"],
  ["Tug", "service"],
  ["Pilot", "service"],
  ["Towing", "service"],
  ["Dredging", "service"],
  ["Diving", "service"],
  ["Port tender", "service"],
  ["Anti-pollution", "service"],
  ["Medical", "service"],
];

/** kinds are the groups by which the lists of a port are filtered. */
export const kinds: readonly Group[] = ["cargo", "tanker", "passenger", "hsc", "service", "fishing", "leisure", "authority", "other"];

/** groupOfType returns the group of a type of ship as the server writes it. */
export const groupOfType = (type = ""): Group => words.find(([begin]) => type.startsWith(begin))?.[1] ?? "other";

/** loadPort asks for a port. */
export const loadPort = (id: string): Promise<PortInfo> => send("GET", `portserver/port/info/${encodeURIComponent(id)}`);

/** loadVisits asks for calls at a port: those that are open, or those of a time. */
export async function loadVisits(port: string, time?: Span): Promise<Visits> {
  const iso = (at: number): string => new Date(at).toISOString().slice(0, 19) + "Z";
  const query = time ? `begin=${iso(time.begin)}&end=${iso(time.end)}` : "open=true";
  const path = `portserver/port/calls/${encodeURIComponent(port)}?${query}`;
  const { records, more } = await send<{ records: PortCall[]; more?: boolean }>("GET", path);
  return { all: records.map((r, i) => visitOf(r, i)), more: more === true };
}

/** loadLying asks for the calls that are open, and for a user that may know plans for when the ships leave as planned. */
export async function loadLying(port: string, plans: boolean): Promise<Visits> {
  const [visits, leave] = await Promise.all([loadVisits(port), plans ? loadLeaving(port) : new Map<number, number>()]);
  return { ...visits, all: visits.all.map((visit) => (visit.call.left ? visit : { ...visit, etd: leave.get(visit.ship.mmsi) })) };
}

const arrived = 7; // the status of a track whose ship has come

// loadLeaving asks for when the ships that were tracked to a port leave as planned, by number.
async function loadLeaving(port: string): Promise<Map<number, number>> {
  const path = `portserver/port/arrivals/${encodeURIComponent(port)}?status=${arrived}&tracks=false`;
  const { records } = await send<{ records: ArrivalOfAPI[] }>("GET", path);
  return new Map(
    records.flatMap(({ ship, source, erp }) => {
      const mmsi = (ship ?? source?.ship)?.mmsi,
        { etd } = planOf(erp);
      return mmsi !== undefined && etd !== undefined ? [[mmsi, etd]] : [];
    }),
  );
}

/** visitOf reads a call at a port, one of a list. A ship has let go when its last stay is over. */
export function visitOf(r: PortCall, i = 0): Visit {
  const call = callOf(r),
    last = call.stays[call.stays.length - 1];
  const key = `${r.ship.mmsi} ${call.id || i}`; // without a number the place in the list has to do
  return {
    key,
    ship: r.ship,
    group: groupOfType(r.ship.type),
    previous: portText(r.previous) ?? "",
    next: portText(r.next) || (r.ship.destination ? `→ ${r.ship.destination}` : ""),
    call: { ...call, left: !call.inPort || call.atd !== undefined || last?.to !== undefined },
  };
}

/** cameAt returns when a ship came: to its berth, else to where it was first seen to lie. */
export const cameAt = ({ call }: Visit): number | undefined => call.ata ?? call.stays[0]?.from;

/** wentAt returns when a ship of a call that is over left; of one that nobody saw leave, when it last lay. */
export const wentAt = ({ call }: Visit): number | undefined =>
  call.atd ?? (call.inPort ? undefined : call.stays[call.stays.length - 1]?.to);

// A record is of a ship that announces the port, or of a track that leads there.
type ArrivalOfAPI = Partial<Arrival> & Partial<ShipTrack>;

/** loadExpected asks for the ships that are tracked to a port, and those whose crews announce it; heard gives a ship as it is now. */
export async function loadExpected(
  { id, name, locode = "" }: PortInfo,
  now: number,
  heard: (mmsi: number) => Ship | undefined,
): Promise<{ all: Expected[]; more: boolean }> {
  const path = `portserver/port/arrivals/${id}?announced=true&tracks=false`;
  const said = (one: Expected): Expected => (one.tracked ? withCrew(one, heard(one.ship.mmsi), name, locode) : one);
  const { records, more } = await send<{ records: ArrivalOfAPI[]; more?: boolean }>("GET", path);
  return { all: inOrder(records.flatMap((r) => expectedOf(r) ?? []).map(said), now), more: more === true };
}

const longPast = 12 * 3600e3; // an ETA that old was forgotten by its crew

/** inOrder puts the ships that come next first: by our ETA, else by that of the crew, and those that have none last. */
export function inOrder(ships: readonly Expected[], now: number): Expected[] {
  const time = ({ eta, crew = -Infinity }: Expected): number => eta ?? (crew > now - longPast ? crew : Number.MAX_VALUE);
  return [...ships].sort((a, b) => time(a) - time(b) || a.ship.mmsi - b.ship.mmsi);
}

const timeOf = (text: string | undefined): number | undefined =>
  text ? parseTime(text.length === 10 ? `${text}T00:00:00Z` : text) : undefined;

/** withCrew adds to a tracked ship its kind, length and draught, and the ETA of its crew where that announces the port. */
export function withCrew(one: Expected, ship: Ship | undefined, name: string, locode: string): Expected {
  if (!ship) return one;
  const { destination = "", eta, length } = ship;
  const here = says(destination, name) || (locode !== "" && says(destination, locode));
  const crew = here && eta ? Date.parse(eta.includes("T") ? eta.slice(0, 16) + "Z" : eta) : Number.NaN;
  return {
    ...one,
    ship: { ...one.ship, length, draught: one.ship.draught ?? ship.draught },
    group: ship.group,
    crew: Number.isFinite(crew) ? crew : undefined,
  };
}

const finished = [arrived, 8, 11]; // arrived, departed, ended

const adviceOf = (a: ArrivalOfAPI["speed_for_arrival"]): Followed["advice"] =>
  a && { place: a.place, time: parseTime(a.time), speed: a.speed, low: a.speed_low, high: a.speed_high };

/** expectedOf reads a ship that is expected; undefined of a track without a ship, and of one that is over. */
export function expectedOf(r: ArrivalOfAPI): Expected | undefined {
  const ship: Vessel | undefined = r.ship ?? r.source?.ship;
  if (r.status !== undefined && finished.includes(r.status)) return undefined;
  return (
    ship && {
      key: `${ship.mmsi} ${r.id ?? ""}`,
      ship,
      group: groupOfType(ship.type),
      eta: timeOf(r.eta),
      crew: timeOf(r.eta_crew),
      late: r.crew_record?.late,
      calls: r.crew_record?.calls ?? 0,
      metres: r.distance,
      tracked:
        r.id === undefined
          ? undefined
          : {
              id: r.id,
              status: r.status ?? 0,
              low: timeOf(r.eta_low),
              high: timeOf(r.eta_high),
              after: parseSpan(r.after_weighing),
              stale: r.eta_stale === true,
              plan: planOf(r.erp),
              requested: (r.requested ?? []).map((one) => ({ ...one, time: parseTime(one.time) })),
              advice: adviceOf(r.speed_for_arrival),
            },
    }
  );
}

/** draughtOf returns the draught of a ship: as it is now, else as it was on arrival. */
export const draughtOf = (visit: Visit, now: Ship | undefined): number | undefined => now?.draught ?? visit.call.draughtA;
