// Track is the client's copy of a ship that is tracked to its destination. docs/tracking.md says what the server knows of it.
import { send, type Sentence } from "../api";
import type { CallPort, ShipTrack, TrackRequest } from "../contract";
import { unwrap, type Place } from "../geometry";
import { parseSpan, parseTime } from "../time";

/** End is a destination: exactly one of its fields is there. */
export interface End {
  ship?: { mmsi: number; name?: string };
  port?: CallPort;
  at?: Place;
  area?: boolean;
}

/** Visit is one of the two ports of a track. */
export interface Visit {
  port?: CallPort;
  ata?: number;
  atd?: number;
}

/** Estimate is an ETA as it was told at a time. */
export interface Estimate {
  time: number;
  eta?: number;
  low?: number;
  high?: number;
}

/** Advice is the speed at which a ship arrives at a time, in knots. */
export interface Advice {
  speed: number;
  low: number;
  high?: number; // undefined where no speed is enough
}

/** Track is a track. Times are in Unix milliseconds; what is not known, or not told, is undefined. */
export interface Track {
  id: number;
  mmsi: number; // 0 of a source that is no ship
  name: string;
  to: End;
  status: number;
  eta?: number;
  low?: number; // one ship of ten comes before it
  high?: number; // and one after
  basis: string;
  after?: number; // milliseconds from when the ship sails on, that lies still now and has no ETA
  stale: boolean;
  metres?: number; // that are left
  route: Place[]; // from where the way was last looked for, with longitudes that go on beyond 180 degrees
  waypoints: { at: Place; eta?: number; ata?: number }[];
  ports: [Visit, Visit]; // departure and destination
  history: Estimate[];
  advice?: Advice;
  warnings: Sentence[]; // of passages ahead that the ship may not fit through
  owner: string;
}

type VisitOfAPI = ShipTrack["port"][number];

const path = "portserver/ship/track";

const timeOf = (text: string | null | undefined): number | undefined => (text ? parseTime(text) : undefined);

const visitOf = (v: VisitOfAPI = {}): Visit => ({ port: v.port, ata: timeOf(v.ata), atd: timeOf(v.atd) });

/** trackOf reads a track. */
export function trackOf(r: ShipTrack): Track {
  const { ship, port, position } = r.destination,
    advice = r.speed_for_arrival;
  return {
    id: r.id,
    mmsi: r.source.ship?.mmsi ?? 0,
    name: r.source.ship?.name ?? "",
    to: { ship, port, at: position?.coordinates, area: r.destination.location !== undefined },
    status: r.status,
    eta: timeOf(r.eta),
    low: timeOf(r.eta_low),
    high: timeOf(r.eta_high),
    basis: r.eta_basis ?? "",
    after: parseSpan(r.after_weighing),
    stale: r.eta_stale === true,
    metres: r.distance,
    route: unwrap(r.route?.coordinates ?? []),
    waypoints: (r.waypoints ?? []).map((w, i) => ({
      at: w.position.coordinates,
      eta: timeOf(r.waypoint_etas?.[i]),
      ata: timeOf(r.waypoint_atas?.[i]),
    })),
    ports: [visitOf(r.port?.[0]), visitOf(r.port?.[1])],
    history: (r.eta_history ?? []).map((e) => ({
      time: parseTime(e.time),
      eta: timeOf(e.eta),
      low: timeOf(e.eta_low),
      high: timeOf(e.eta_high),
    })),
    advice: advice && { speed: advice.speed, low: advice.speed_low, high: advice.speed_high },
    warnings: r.warnings ?? [],
    owner: r.owner ?? "",
  };
}

/** over tells whether the ship arrived, left again, or is not followed any more. */
export const over = ({ status }: Track): boolean => status === 7 || status === 8 || status === 11;

/** ofShip returns the tracks of a ship: those that are not over first, and the latest first. */
export const ofShip = (tracks: readonly Track[], mmsi: number): Track[] =>
  tracks.filter((one) => one.mmsi === mmsi).sort((a, b) => Number(over(a)) - Number(over(b)) || b.id - a.id);

/** loadTracks asks for all tracks, without their ways. */
export async function loadTracks(): Promise<Track[]> {
  const { records } = await send<{ records: ShipTrack[] }>("GET", `${path}?tracks=false&route=false`);
  return records.map(trackOf);
}

/** loadTrack asks for a track with its way and how its ETA moved. */
export const loadTrack = async (id: number): Promise<Track> => trackOf(await send<ShipTrack>("GET", `${path}/${id}?tracks=false`));

/** askSpeed asks at which speed a ship arrives at a time; undefined where that is not known. */
export async function askSpeed(id: number, at: number): Promise<Advice | undefined> {
  const when = encodeURIComponent(new Date(at).toISOString());
  return trackOf(await send<ShipTrack>("GET", `${path}/${id}?tracks=false&route=false&speed_for_arrival=${when}`)).advice;
}

/** startTrack has the server follow a ship to a destination, as the interface takes it; it gives the number of the track. */
export const startTrack = async (mmsi: number, destination: TrackRequest["destination"]): Promise<number> =>
  (await send<{ id: number }>("POST", path, { source: { ship: { mmsi } }, destination })).id;

/** stopTrack ends a track for good. */
export const stopTrack = (id: number): Promise<unknown> => send("DELETE", `${path}/${id}`);
