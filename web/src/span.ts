// Span is the time of a track: the last hours before now, or from one time to another.
import { stamp, timeOf, wall, when } from "./text/clock";
import { number, t } from "./text/text";

/** Span is given by hours before the ship's latest report, or by two times in Unix milliseconds. */
export type Span = { hours: number } | { from: number; to: number };

/** longest is how many hours a track may have. */
export const longest = 30 * 24;
const day = 24 * 3600e3;

/** equal tells whether two spans are the same. */
export const sameSpan = (a: Span, b: Span): boolean => write(a) === write(b);

/** dayOf is the day of a time, so many days before. A local day may have 23 or 25 hours. */
export function dayOf(time: number, before: number): { from: number; to: number } {
  const noon = Date.parse(wall(time).slice(0, 10) + "T12:00:00Z") - before * day;
  const midnight = (of: number): number => timeOf(new Date(of).toISOString().slice(0, 10) + "T00:00:00");
  return { from: midnight(noon), to: midnight(noon + day) };
}

// A time in an address, as 20261122T0814.
const written = (time: number): string => new Date(time).toISOString().slice(0, 16).replace(/[-:]/g, "");
const parsed = (text: string): number => Date.parse(text.replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)$/, "$1-$2-$3:$4Z"));

/** write returns a span as it stands in an address: 6, or 20261121T0000-20261122T0000. */
export const write = (span: Span): string => ("hours" in span ? String(span.hours) : `${written(span.from)}-${written(span.to)}`);

/** read takes a span from an address; undefined of one that is wrong or too long. */
export function read(text: string): Span | undefined {
  if (/^\d+$/.test(text)) return Number(text) > 0 && Number(text) <= longest ? { hours: Number(text) } : undefined;
  const [from, to] = text.split("-").map(parsed);
  return from < to && to - from <= longest * 3600e3 ? { from, to } : undefined;
}

/** spanText says a span in words. */
export function spanText(span: Span, now: number): string {
  if ("hours" in span)
    return span.hours % 24 === 0 && span.hours > 24 ? t("track.days", { n: span.hours / 24 }) : t("track.hours", { n: number(span.hours) });
  const { from, to } = dayOf(span.from, 0);
  if (span.from === from && span.to === to) return wall(from).slice(0, 10);
  return `${stamp(span.from, now, false)} – ${when(span.to, now, false)}`;
}
