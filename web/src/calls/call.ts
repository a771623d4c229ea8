// Call is the client's copy of a call of a ship at a port, Trip of the way between two calls.
import { send } from "../api";
import type { Call as CallOfAPI, CallBerth, CallPort, Calls, Trips } from "../contract";
import { parseSpan, parseTime } from "../time";

/** Stay is a time in which the ship lay at one place. */
export interface Stay {
  berthed: boolean; // else anchored
  berth: string; // "" of none that is known
  from?: number;
  to?: number;
  place: { lon: number; lat: number };
}

/** Call is a call at a port. Times are in Unix milliseconds, spans in milliseconds; what is not known, or not told, is undefined. */
export interface Call {
  id: number; // 0 where the user is not told when the call began
  port: CallPort;
  inPort: boolean;
  ata?: number;
  atd?: number;
  anchored?: number; // before it was alongside
  border?: number; // it crossed the border of the port inwards
  pilot?: number; // it was where the pilot boards
  out?: number; // it crossed the border outwards
  berth: string;
  draughtA?: number; // metres
  draughtD?: number;
  waiting?: number; // from the anchorage to the berth
  service?: number; // from arrival to departure
  stays: Stay[];
  by: string; // the user that confirmed or corrected it
  ataDetected?: number;
  atdDetected?: number;
}

/** Trip is the way from one call to the next; the open last one has no metres. */
export interface Trip {
  id: number; // that of the call from which it leads
  open: boolean;
  left?: number;
  metres?: number;
  lasted?: number;
  knots?: number;
  gap: number; // milliseconds without a position
}

/** History is the calls of a ship, the latest first, and its trips by the call from which they lead. */
export interface History {
  calls: Call[];
  trips: Map<number, Trip>;
  more: boolean; // there are earlier calls
}

/** Item is one of what stands below another on the time line. */
export type Item = { key: string; call: Call; trip?: undefined } | { key: string; trip: Trip; call?: undefined };

/** itemsOf returns the calls, and between two of them the trip, where it is known; the open trip stands first. */
export function itemsOf({ calls, trips }: History): Item[] {
  return calls.flatMap((call, i) => {
    const key = call.id ? String(call.id) : `early ${i}`; // without numbers the place in the list has to do
    const trip = trips.get(call.id),
      leads = trip && trip.open === (i === 0);
    return [...(leads ? [{ key: "from " + key, trip }] : []), { key, call }];
  });
}

/** most is how many calls a history has at most. */
export const most = 999;

// saidOf returns when something happened at a place: the last that a user wrote, else the last that was detected.
function saidOf(times: NonNullable<CallOfAPI["times"]>, event: string, place: string): number | undefined {
  const about = times.filter((one) => one.event === event && one.place === place && one.kind === "actual");
  const last = (hand: boolean): string | null | undefined => about.findLast((one) => (one.source === "hand") === hand)?.value;
  return timeOf(last(true) ?? last(false) ?? undefined);
}

const timeOf = (text: string | undefined): number | undefined => (text ? parseTime(text) : undefined);

const nameOf = (berth: CallBerth | undefined): string => berth?.name || (berth ? String(berth.id) : "");

/** callOf reads a call. */
export const callOf = (r: CallOfAPI): Call => ({
  id: r.id ?? 0,
  port: r.port,
  inPort: r.in_port,
  ata: timeOf(r.ata),
  atd: timeOf(r.atd),
  anchored: timeOf(r.anchored_at),
  border: saidOf(r.times ?? [], "arrival", "border"),
  pilot: saidOf(r.times ?? [], "arrival", "pilot"),
  out: saidOf(r.times ?? [], "departure", "border"),
  berth: nameOf(r.berth),
  draughtA: r.draught_a,
  draughtD: r.draught_d,
  waiting: parseSpan(r.waiting),
  service: parseSpan(r.service),
  stays: r.stays.map(({ kind, berth, from, to, position: { coordinates } }) => ({
    berthed: kind === "berthed",
    berth: nameOf(berth),
    from: timeOf(from),
    to: timeOf(to),
    place: { lon: coordinates[0], lat: coordinates[1] },
  })),
  by: r.confirmed_by ?? "",
  ataDetected: timeOf(r.ata_detected),
  atdDetected: timeOf(r.atd_detected),
});

/** tripOf reads a trip. */
export const tripOf = (r: Trips["records"][number]): Trip => ({
  id: r.id ?? 0,
  open: r.to === undefined,
  left: timeOf(r.from.atd),
  metres: r.distance,
  lasted: parseSpan(r.duration),
  knots: r.avg_sog,
  gap: parseSpan(r.gap) ?? 0,
});

/** loadHistory asks for so many calls of a ship, and for the trips between them where the user may know of times: no trip has a number without. */
export async function loadHistory(mmsi: number, count: number, times: boolean): Promise<History> {
  const body = { mmsi, limit: count + 1 }; // one more, to know whether there are more
  const ask = <R>(what: string): Promise<R> => send("POST", "portserver/ship/historical/" + what, body);
  const [calls, trips] = await Promise.all([ask<Calls>("port"), times ? ask<Trips>("trip") : undefined]);
  return {
    calls: calls.records.slice(0, count).map(callOf),
    trips: new Map(trips?.records.map((r) => [r.id ?? 0, tripOf(r)])),
    more: calls.records.length > count,
  };
}
