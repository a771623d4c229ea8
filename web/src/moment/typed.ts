// Times as people write them, of the clock on the wall: read from what was typed, and written the one way of the program.
import { wall } from "../text/clock";

/** Part is what a field of time asks for. */
export type Part = "moment" | "day" | "clock";

/** pattern is how the program writes such a time. */
export const pattern: Record<Part, string> = { moment: "2026-11-26 12:27", day: "2026-11-26", clock: "12:27" };

const day = 24 * 3600e3;

// The clock on the wall as a number, to count with: no zone, no summer time.
const ticks = (text: string): number => Date.parse(text.slice(0, 16) + "Z");
const text = (at: number): string => new Date(at).toISOString().slice(0, 16);

/** shown writes a value of a field as people read it. */
export const shown = (value: string): string => value.replace("T", " ");

const two = (n: string | number): string => String(n).padStart(2, "0");

// dateOf reads a date. Without its year or month it is the one that is nearest to today.
function dateOf(typed: string, today: string): string | undefined {
  const full = /^(\d{4})-?(\d\d?)-?(\d\d?)$/.exec(typed);
  if (full) return real(`${full[1]}-${two(full[2])}-${two(full[3])}`);
  const german = /^(\d\d?)\.(\d\d?)\.(\d{4}|\d\d)?$/.exec(typed);
  if (german?.[3]) return real(`${german[3].length === 2 ? "20" + german[3] : german[3]}-${two(german[2])}-${two(german[1])}`);
  const short = german ? [two(german[2]), two(german[1])] : /^(\d\d?)-(\d\d?)$/.exec(typed)?.slice(1).map(two);
  const year = Number(today.slice(0, 4));
  if (short)
    return nearest(
      today,
      [year - 1, year, year + 1].map((y) => real(`${y}-${short[0]}-${short[1]}`)),
    );
  if (!/^\d\d?\.?$/.test(typed)) return undefined;
  const month = (by: number): string => new Date(Date.UTC(year, Number(today.slice(5, 7)) - 1 + by, 1)).toISOString().slice(0, 8);
  return nearest(
    today,
    [-1, 0, 1].map((by) => real(month(by) + two(parseInt(typed)))),
  );
}

// real returns a date that a calendar has.
const real = (date: string): string | undefined => {
  const at = Date.parse(date + "T00:00Z");
  return at >= 0 && new Date(at).toISOString().slice(0, 10) === date ? date : undefined;
};

const nearest = (today: string, dates: (string | undefined)[]): string | undefined =>
  dates
    .filter((date) => date !== undefined)
    .sort((a, b) => Math.abs(ticks(a + "T00:00") - ticks(today)) - Math.abs(ticks(b + "T00:00") - ticks(today)))[0];

// clockOf reads a time of day: 8:05, 0805, 8.05, 8h05, 8h.
function clockOf(typed: string): string | undefined {
  const m = /^(\d\d?)(?::|\.|h)(\d\d)?$/.exec(typed) ?? /^(\d\d)(\d\d)$/.exec(typed);
  if (!m || (m[2] === undefined && !typed.endsWith("h"))) return undefined;
  const [hour, minute] = [Number(m[1]), Number(m[2] ?? 0)];
  return hour < 24 && minute < 60 ? `${two(hour)}:${two(minute)}` : undefined;
}

// later reads a time from now: +2h, -30m, +1:30, +1d.
function later(typed: string): number | undefined {
  const m = /^([+-])(\d{1,3})(?:(?::(\d\d))|(m|min|h|d|t))?$/.exec(typed.replace(/ /g, ""));
  if (!m) return undefined;
  const unit = m[4]?.startsWith("m") ? 60e3 : m[4] === "d" || m[4] === "t" ? day : 3600e3;
  return (m[1] === "-" ? -1 : 1) * (Number(m[2]) * unit + Number(m[3] ?? 0) * 60e3);
}

/**
 * readTyped reads a day, a time of day, or both, and gives it as a field has its value; undefined of what is none. A time of day alone is of the day
 * of the value before, else of today. A day alone is from its midnight, or as an end to the next one. A Z at the end says that it is UTC.
 */
export function readTyped(typed: string, part: Part, now: number, before = "", end = false): string | undefined {
  const said = typed.trim().toLowerCase().replace(/\s+/g, " "),
    zulu = /[\d ](z|utc)$/.test(said),
    words = said.replace(/(?<=[\d ])(z|utc)$/, "").trim(),
    today = zulu ? new Date(now).toISOString().slice(0, 16) : wall(now).slice(0, 16);
  const cut = (value: string): string => (part === "moment" ? value : part === "day" ? value.slice(0, 10) : value.slice(11, 16));
  const done = (value: string): string => cut(zulu ? wall(Date.parse(value + "Z")).slice(0, 16) : value);
  const by = /^(now|jetzt|heute|today)$/.test(words) ? 0 : later(words);
  if (by !== undefined) return cut(wall(now + by).slice(0, 16));
  if (part === "clock") return clockOf(words);
  const group = /^(\d\d)(\d{4})$/.exec(words); // 261227: day and time, as signals write it
  const [date, clock, more] = group ? group.slice(1) : words.split(/[ t,]+/);
  if (more !== undefined) return undefined;
  if (clock === undefined) {
    const time = clockOf(date);
    if (time && part === "moment") return done(`${before.slice(0, 10) || today.slice(0, 10)}T${time}`);
    const on = dateOf(date, today);
    return on && done(end && part === "moment" ? text(ticks(on + "T00:00") + day) : on + "T00:00");
  }
  const on = dateOf(date, today),
    time = clockOf(clock.replace(/^(\d\d:\d\d):\d\d(\.\d+)?$/, "$1"));
  return on && time && done(`${on}T${time}`);
}

/** partAt is the part of a written time at a place in its text, as from and to. */
export function partAt(caret: number, part: Part): [number, number] {
  const parts: [number, number][] = part === "clock" ? [[0, 2], [3, 5]] : [[0, 4], [5, 7], [8, 10], [11, 13], [14, 16]]; // biome-ignore format: a row
  const of = part === "day" ? parts.slice(0, 3) : parts;
  return of.find(([, to]) => caret <= to) ?? of[of.length - 1];
}

/** stepped counts a part of a value up or down. The 31st becomes the last of a shorter month. */
export function stepped(value: string, from: number, part: Part, by: number): string {
  const whole = part === "clock" ? `2026-01-01T${value}` : part === "day" ? value + "T00:00" : value,
    at = ticks(whole),
    place = part === "clock" ? from + 11 : from;
  let next = at + by * (place >= 14 ? 60e3 : place >= 11 ? 3600e3 : day);
  if (place < 8) {
    const months = place < 5 ? 12 * by : by,
      of = new Date(at),
      first = new Date(Date.UTC(of.getUTCFullYear(), of.getUTCMonth() + months, 1)),
      days = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate();
    next = first.getTime() + (Math.min(of.getUTCDate(), days) - 1) * day + (at % day);
  }
  const to = text(next);
  return part === "clock" ? to.slice(11) : part === "day" ? to.slice(0, 10) : to;
}

/** weeks are the days of a month as a calendar shows them: whole weeks from Monday on. */
export function weeks(month: string): string[][] {
  const first = Date.parse(month.slice(0, 7) + "-01T00:00Z"),
    start = first - ((new Date(first).getUTCDay() + 6) % 7) * day,
    rows: string[][] = [];
  for (let at = start; rows.length < 6; at += 7 * day) rows.push(Array.from({ length: 7 }, (_, n) => text(at + n * day).slice(0, 10)));
  return rows;
}
