// An alert as the server tells it, and what is said of it.
import type { Alert as AlertOfAPI } from "../contract";
import { t } from "../text/text";
import { parseSpan, parseTime } from "../time";
import { eventOf, type Severity, type WatchEvent } from "../watchdogs/event";

/** Priority is how urgent an alert is, State how it is to the user. */
export type Priority = AlertOfAPI["priority"];
export type State = AlertOfAPI["state"];

/** signs are the shapes of priorities, as colour alone does not tell; looks are the severities whose colour they have. */
export const signs: Record<Priority, string> = { caution: "●", warning: "▲", alarm: "◆", emergency: "⚠" };
export const looks: Record<Priority, Severity> = { caution: "note", warning: "warning", alarm: "alert", emergency: "alert" };

/** Alert is an alert as the client keeps it; times are Unix milliseconds. */
export interface Alert {
  id: number;
  definition: number; // 0 for none
  watchdog: string;
  priority: Priority;
  told: State; // by the server; a silence ends by itself
  mine: boolean;
  since: number;
  last: number;
  silentUntil: number;
  with: string[];
  transferred?: { by?: string; time: number };
  escalated: number;
  useless: boolean;
  count: number;
  open: number;
  standing: number;
  events: WatchEvent[]; // the latest first
}

/** alertOf reads an alert of the API at a time of the picture, which is behind that of the box for a user that is told late. Of a ship that had no name then,
 * known gives that of now. */
export const alertOf = (r: AlertOfAPI, now: number, known: (mmsi: number) => string | undefined): Alert => ({
  id: r.id,
  definition: r.definition_id ?? 0,
  watchdog: r.watchdog,
  priority: r.priority,
  told: r.state,
  mine: r.mine,
  since: parseTime(r.since),
  last: parseTime(r.last),
  silentUntil: now + (parseSpan(r.silenced_for) ?? 0),
  with: r.with?.map((one) => one.name) ?? [],
  transferred: r.transferred && { by: r.transferred.user, time: parseTime(r.transferred.time) },
  escalated: r.escalated ?? 0,
  useless: r.not_useful !== undefined,
  count: r.count,
  open: r.unacknowledged,
  standing: r.standing,
  events: r.events.map((e) => eventOf(e, known)),
});

/** stateOf returns the state at a time: a silence that is over is none. */
export const stateOf = (a: Alert, now: number): State => (a.told === "silenced" && now >= a.silentUntil ? "active" : a.told);

/** waits tells whether somebody has to look: a warning or alarm that nobody has acknowledged. */
export const waits = (a: Alert): boolean => a.priority !== "caution" && ["active", "silenced", "transferred", "rectified"].includes(a.told);

/** stands tells whether the alert is not over and done with. */
export const stands = (a: Alert): boolean => a.told !== "normal";

/** isRescue tells an alert of people in distress. The siren of their alarm is its sound, on every screen. */
export const isRescue = (a: Alert): boolean => a.priority === "emergency";

/** loud tells whether the alert sounds on this board until somebody does something. */
export const loud = (a: Alert, now: number): boolean =>
  a.mine && (a.priority === "alarm" || a.priority === "emergency") && stateOf(a, now) === "active";

/** textOf says what the alert is about: its event, or how many there are. */
export const textOf = (a: Alert): string =>
  a.count === 1 && a.events.length === 1 ? a.events[0].text() : t("alert.several", { n: a.count, name: a.watchdog });
