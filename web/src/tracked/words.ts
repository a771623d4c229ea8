// What is told of tracked ships, in words.
import type { CallPort } from "../contract";
import dePlanner from "../planner/de.json";
import enPlanner from "../planner/en.json";
import { title } from "../ship";
import { stamp, when, zone } from "../text/clock";
import { knots, place } from "../text/figures";
import { known, learn, t } from "../text/text";
import de from "./de.json";
import en from "./en.json";
import { told } from "./trend";
import type { Advice, End, Estimate, Track, Visit } from "./track";

learn({ en: { ...enPlanner, ...en }, de: { ...dePlanner, ...de } });

/** portName names a port, with its LOCODE; of one that the user may not know its number. */
export const portName = ({ id, name, locode }: CallPort): string =>
  name ? (locode ? `${name} (${locode})` : name) : locode || t("tracked.port", { id: String(id) });

/** endName names a destination. */
export function endName({ port, ship, at }: End): string {
  if (port) return portName(port);
  if (ship) return title(ship);
  return at ? place(at[0], at[1]) : t("tracked.area");
}

/** statusText is a status in words, "" of one that is not known. */
export const statusText = ({ status }: Pick<Track, "status">): string => known("trackstatus." + status);

/** basisText says what an ETA was made of, "" of what is not known. */
export const basisText = ({ basis }: Track): string => (basis === "" ? "" : known("trackbasis." + basis));

/** rangeText says from when to when a ship is expected; a day that was told before, and the zone, stand once. */
export function rangeText(low: number | undefined, high: number | undefined, before: number): string {
  if (low === undefined || high === undefined) return "";
  const begin = (zone(low) === zone(high) ? stamp : when)(low, before, false);
  return t("tracked.range", { low: begin, high: when(high, low, false) });
}

/** visitText says when a ship came to a port and left it, as far as that is known and told. */
export function visitText({ ata, atd }: Visit, now: number): string {
  return [
    ata !== undefined && t("tracked.arrived", { time: when(ata, now, false) }),
    atd !== undefined && t("tracked.departed", { time: when(atd, now, false) }),
  ]
    .filter(Boolean)
    .join(" · ");
}

/** waypointText says when a ship comes to a waypoint, or came. */
export function waypointText({ eta, ata }: { eta?: number; ata?: number }, now: number): string {
  if (ata !== undefined) return t("tracked.passed", { time: when(ata, now, false) });
  return eta === undefined ? t("tracked.passedUnseen") : t("tracked.expected", { time: when(eta, now, false) });
}

/** adviceText says how fast a ship has to sail. */
export function adviceText(advice: Advice | undefined): string {
  if (!advice) return t("tracked.speedNone");
  const { speed, low, high } = advice;
  if (high === undefined) return t("tracked.speedOpen", { speed: knots(speed), low: knots(low) });
  return t("tracked.speed", { speed: knots(speed), low: knots(low), high: knots(high) });
}

/** trendText says how an ETA moved, for those that do not see the drawing. */
export function trendText(history: readonly Estimate[], now: number): string {
  const all = told(history);
  if (all.length < 2) return t("tracked.trendNone");
  const etas = all.map((e) => e.eta),
    first = all[0],
    last = all[all.length - 1],
    say = (time: number): string => when(time, now, false);
  const moved = t("tracked.trendText", {
    from: say(first.time),
    to: say(last.time),
    first: say(first.eta),
    last: say(last.eta),
    low: say(Math.min(...etas)),
    high: say(Math.max(...etas)),
  });
  if (last.low === undefined || last.high === undefined) return moved;
  return `${moved} ${t("tracked.trendRange", { low: say(last.low), high: say(last.high) })}`;
}
