// An event of a watchdog as the server tells it, and what is said of it.
import type { WatchdogEvent } from "../contract";
import { mmsiText } from "../ship";
import { when } from "../text/clock";
import { t, told } from "../text/text";
import { parseTime } from "../time";

/** Severity is how grave the events of a watchdog are, the least first. */
export type Severity = WatchdogEvent["severity"];

/** severities are all of them. */
export const severities: readonly Severity[] = ["note", "warning", "alert"];
/** marks are their signs, as colour alone does not tell. */
export const marks: Record<Severity, string> = { note: "●", warning: "▲", alert: "◆" };

/** WatchEvent is an event as the client keeps it; times are Unix milliseconds. */
export interface WatchEvent {
  id: number;
  definition: number; // 0 for none
  watchdog: string;
  severity: Severity;
  text: () => string; // in the language of now
  mmsi: number; // 0 for no ship
  time: number;
  lon?: number;
  lat?: number;
  /** begins tells that it is no end of something; alone these are waited for. */
  begins: boolean;
  /** rescue tells that it is of people in distress, or of the test of a device: it cannot be mute. */
  rescue: boolean;
  active: boolean;
  over?: number;
  /** evicted tells that it is over for want of room alone: what went on then is not known. */
  evicted: boolean;
  seen?: { by?: string; time: number };
  muted?: number;
  by?: string; // the user that made it by hand
}

/** eventOf reads an event of the API. Of a ship that had no name then, known gives that of now. */
export function eventOf(r: WatchdogEvent, known: (mmsi: number) => string | undefined): WatchEvent {
  const [lon, lat] = r.position?.coordinates ?? [];
  const named = (s: { mmsi: number; name?: string }) => s.name || known(s.mmsi) || mmsiText(s.mmsi);
  return {
    id: r.id,
    definition: r.definition_id ?? 0,
    watchdog: r.watchdog,
    severity: r.severity,
    text: () => sentence(r, r.ship ? named(r.ship) : "", r.other ? named(r.other) : ""),
    mmsi: r.ship?.mmsi ?? 0,
    time: parseTime(r.time),
    lon,
    lat,
    rescue: r.type === "distress",
    begins: r.event !== "leave" && r.event !== "timeout" && r.event !== "more",
    active: r.state === "active",
    over: r.deactivated === undefined ? undefined : parseTime(r.deactivated),
    evicted: r.evicted === true,
    seen: r.acknowledged && { by: r.acknowledged.user, time: parseTime(r.acknowledged.time) },
    muted: r.muted_until === undefined ? undefined : parseTime(r.muted_until),
    by: r.made_by,
  };
}

/** overOf says since when an event is over, and why where that is no news of the ship; false while it goes on. */
export const overOf = (e: WatchEvent, now: number): string | false =>
  e.over !== undefined && t(e.evicted ? "event.evicted" : "event.over", { time: when(e.over, now, false) });

// overs are the types whose end is more than that a ship left.
const overs: readonly string[] = ["lost", "anchor", "aton", "speed", "route", "silent"];

function sentence(r: WatchdogEvent, ship: string, other: string): string {
  const place = r.port?.name ?? r.watchdog;
  if (r.event === "risk") return t("event.risk." + r.reason, { ship, place });
  if (r.event === "manual") return ship === "" ? r.message : `${ship}: ${r.message}`;
  if (r.notice) return told(r.notice);
  if (r.event === "paused") return t("event.paused", { place, time: when(parseTime(r.pause?.until ?? r.time), parseTime(r.time), false) });
  if (r.event === "more") return t("event.held", { place, n: r.pause?.held ?? 0 });
  if (r.feed) {
    const { name, silence = 0, ships = 0, usual = 0 } = r.feed;
    return t("event." + r.event, { feed: name, minutes: Math.floor(silence / 60), ships, usual });
  }
  if (r.event === "cpa") return t("event.cpa", { ship, other, place, metres: r.cpa ?? 0, minutes: Math.round((r.tcpa ?? 0) / 60) });
  if (r.type === "zone" && r.other && r.event !== "timeout")
    return t(r.event === "enter" && r.initial ? "event.zone.initial" : "event.zone." + r.event, { ship, other });
  if (r.event === "cross") return t("event.cross", { ship, place, to: t("event.to." + r.direction) });
  if (r.event === "leave" && overs.includes(r.type)) return t("event.leave." + r.type, { ship, place });
  if (r.event === "dragging" && r.initial) return t("event.dragging.initial", { ship, place });
  return t(r.event === "enter" && r.initial ? "event.initial" : "event." + r.event, { ship, place });
}
