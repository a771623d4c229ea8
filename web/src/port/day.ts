// The time that a list of calls is about, and how the address names it.
import { timeOf, wall } from "../text/clock";

const day = 24 * 3600e3;

/** Tab is a list of the port. */
export type Tab = "in" | "expected" | "arrived" | "left";
export const tabs: readonly Tab[] = ["in", "expected", "arrived", "left"];

/** usual is the time that a list shows first: which ships came is asked of today, which left of the last 24 hours. */
export const usual = (tab: Tab): string => (tab === "arrived" ? "today" : "24h");

/** spanOf returns the time of a word of the address, as the clock on the wall has it: "today", "24h", or a day as 2026-11-21. */
export function spanOf(word: string, now: number): { begin: number; end: number } {
  if (word === "24h") return { begin: now - day, end: now + 1000 };
  const begin = timeOf((word === "today" ? wall(now).slice(0, 10) : word) + "T00:00");
  if (Number.isNaN(begin)) return spanOf("24h", now);
  const next = timeOf(wall(begin + 1.5 * day).slice(0, 10) + "T00:00"); // a day of a change of the clock has 23 or 25 hours
  return { begin, end: next };
}
