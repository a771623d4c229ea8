// Times of day as the user wants them: UTC, or the local time of this browser. The zone is always named.
import { spoken } from "./text";

let local = false;

/** showLocal has all that follows written in local time, or in UTC again. */
export function showLocal(on: boolean): void {
  local = on;
}

/** besideUTC tells whether the clock on the wall shows another time than UTC. */
export const besideUTC = (time: number): boolean => local && new Date(time).getTimezoneOffset() !== 0;

/** wall is what the clock on the wall shows at a time: as 2026-11-22T14:05:06. */
export const wall = (time: number): string => (local ? wallLocal(time) : new Date(time).toISOString()).slice(0, 19);

// The years of ISO 8601 have four digits, and so has what is written here.
const wallLocal = (time: number): string => new Date(time - new Date(time).getTimezoneOffset() * 60e3).toISOString();

/** timeOf is the time at which the clock on the wall shows such a text. */
export const timeOf = (text: string): number => Date.parse(local ? text : text + "Z");

const names = new Map<string, string>();

/** zone names the zone of a time: UTC, or as CET in winter and CEST in summer. */
export function zone(time: number): string {
  if (!local) return "UTC";
  const key = `${spoken()} ${new Date(time).getTimezoneOffset()}`;
  let name = names.get(key);
  if (name === undefined) {
    const parts = new Intl.DateTimeFormat(spoken(), { timeZoneName: "short" }).formatToParts(time);
    name = parts.find((part) => part.type === "timeZoneName")?.value ?? "";
    names.set(key, name);
  }
  return name;
}

/** stamp writes the time of day without its zone, with the date when it is not today's. */
export function stamp(time: number, now: number, seconds = true): string {
  const text = wall(time),
    clock = text.slice(11, seconds ? 19 : 16);
  return text.slice(0, 10) === wall(now).slice(0, 10) ? clock : `${text.slice(0, 10)} ${clock}`;
}

/** brief is stamp for narrow columns: without the year where it is this one. */
export function brief(time: number, now: number): string {
  const text = stamp(time, now, false);
  return text.slice(0, 5) === wall(now).slice(0, 5) ? text.slice(5) : text;
}

/** when writes a time of day with its zone, and with the date when it is not today's. */
export const when = (time: number, now: number, seconds = true): string => `${stamp(time, now, seconds)} ${zone(time)}`;

/** dateTime writes date, time to the minute, and zone. */
export const dateTime = (time: number): string => `${wall(time).slice(0, 16).replace("T", " ")} ${zone(time)}`;

/** both writes a time as when does, and behind a local one UTC where that is another. */
export const both = (time: number, now: number, seconds = true): string =>
  besideUTC(time)
    ? `${when(time, now, seconds)} (${new Date(time).toISOString().slice(11, seconds ? 19 : 16)} UTC)`
    : when(time, now, seconds);
