// What is told of calls and trips, in words. What nobody saw is said to be so.
import { stamp, when, zone } from "../text/clock";
import { draught, knots, lasting, miles } from "../text/figures";
import { learn, t } from "../text/text";
import type { Call, Stay, Trip } from "./call";
import de from "./de.json";
import en from "./en.json";

learn({ en, de });

const unheard = 60e3; // milliseconds without a position that are told

/** portName is the name of a port, or its number where the name is not told. */
export const portName = ({ port }: Call): string => port.name || t("calls.port", { id: String(port.id) });

// period says from when to when, as far as that is known. The zone of both times stands once.
function period(from: number | undefined, to: number | undefined, unseen: string, now: number): string {
  const once = from !== undefined && to !== undefined && zone(from) === zone(to);
  const began = from === undefined ? unseen : (once ? stamp : when)(from, now, false);
  return `${began} – ${to === undefined ? t("calls.left") : when(to, now, false)}`;
}

/** timesText says when a ship came and left; "" of a call of the past for a user that may not know times. */
export function timesText(c: Call, now: number, may: boolean): string {
  if (!may) return c.inPort ? t("calls.in") : "";
  const unseen = t(c.id === 0 ? "calls.earlier" : "calls.there");
  if (!c.stays.some((s) => s.berthed)) return anchoredText(c, unseen, now);
  if (!c.inPort) return period(c.ata, c.atd, unseen, now);
  if (c.atd !== undefined) return `${period(c.ata, c.atd, unseen, now)}, ${t("calls.still")}`;
  return c.ata === undefined ? `${t("calls.in")}, ${unseen}` : t("calls.since", { time: when(c.ata, now, false) });
}

// anchoredText tells of a call at which the ship was never alongside.
function anchoredText({ inPort, stays }: Call, unseen: string, now: number): string {
  const from = stays[0]?.from,
    to = stays[stays.length - 1]?.to;
  if (!inPort) return t("calls.anchored", { period: period(from, to, unseen, now) });
  if (to !== undefined) return `${t("calls.anchored", { period: period(from, to, unseen, now) })}, ${t("calls.still")}`;
  return from === undefined ? `${t("calls.anchor")}, ${unseen}` : t("calls.anchorSince", { time: when(from, now, false) });
}

/** factsText says how long a ship lay, where, and how deep it was, as far as that is known. */
export function factsText(c: Call, now: number): string {
  const lay = c.inPort && c.ata !== undefined && c.atd === undefined ? now - c.ata : c.service;
  return [
    lay !== undefined && lasting(lay),
    c.waiting !== undefined && t("calls.waited", { span: lasting(c.waiting) }),
    c.berth && t("calls.berth", { name: c.berth }),
    draughtText(c),
  ]
    .filter(Boolean)
    .join(" · ");
}

function draughtText({ draughtA: came, draughtD: went }: Call): string {
  if (came === undefined) return went === undefined ? "" : t("calls.draughtOut", { draught: draught(went) });
  if (went === undefined) return t("calls.draughtIn", { draught: draught(came) });
  return came === went ? t("calls.draught", { draught: draught(came) }) : t("calls.draughts", { came: draught(came), went: draught(went) });
}

/** corrected tells whether a user wrote another time than was detected. */
export const corrected = (c: Call): boolean => c.by !== "" && (c.ata !== c.ataDetected || c.atd !== c.atdDetected);

/** byText says which user confirmed or corrected a call, "" of none. */
export const byText = (c: Call): string => (c.by ? t(corrected(c) ? "calls.corrected" : "calls.confirmed", { name: c.by }) : "");

/** detectedText says what was detected in the place of a time that a user wrote; "" where it is the same. */
export function detectedText(c: Call, key: "ata" | "atd", now: number): string {
  const found = c[`${key}Detected`];
  if (c.by === "" || found === c[key]) return "";
  return found === undefined ? t(`calls.${key}NotDetected`) : t(`calls.${key}Detected`, { time: when(found, now, false) });
}

/** stayText says where a ship lay for a part of its call, and from when to when; lies is true of where it lies now, may of a user that
 * may know times. */
export function stayText({ berthed, berth, from, to }: Stay, lies: boolean, may: boolean, now: number): string {
  const where = !berthed ? t("calls.anchor") : berth ? t("calls.berth", { name: berth }) : t("calls.alongside");
  if (!may) return where;
  if (lies && to === undefined)
    return `${where}, ${from === undefined ? t("calls.there") : t("calls.from", { time: when(from, now, false) })}`;
  return `${where}, ${period(from, to, t("calls.there"), now)}`;
}

/** tripText says how far a ship sailed between two calls, for how long and how fast, and for how long nobody heard it. */
export function tripText(trip: Trip, now: number): string {
  if (trip.open) {
    if (trip.left === undefined) return t("calls.sea");
    return `${t("calls.seaSince", { time: when(trip.left, now, false) })} · ${lasting(now - trip.left)}`;
  }
  return [
    trip.metres !== undefined && `${miles(trip.metres)} ${t("figure.nm")}`,
    trip.lasted !== undefined && lasting(trip.lasted),
    trip.knots !== undefined && t("calls.average", { knots: knots(trip.knots) }),
    trip.gap >= unheard && t("calls.gap", { span: lasting(trip.gap) }),
  ]
    .filter(Boolean)
    .join(" · ");
}
