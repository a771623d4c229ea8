// Trend is how an ETA moved, as lines of a drawing: the time at which it was told from left to right, the ETA upwards.
import type { Estimate } from "./track";

/** Edge is what lies around the lines, in the units of the drawing. */
export interface Edge {
  width: number;
  height: number;
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Tick is a time at a place of an axis. */
export interface Tick {
  at: number;
  time: number;
}

/** Trend is the drawing. */
export interface Trend {
  band: string; // the path of the range, "" of none
  line: string; // the path of the ETA
  across: Tick[];
  up: Tick[];
}

const minute = 60e3;
const steps = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 10080].map((minutes) => minutes * minute);

/** ticksOf returns at most so many times at whole steps by the clock on the wall, which is so many milliseconds ahead of UTC. */
export function ticksOf(from: number, to: number, most: number, ahead: number): number[] {
  const step = steps.find((one) => Math.floor((to + ahead) / one) - Math.ceil((from + ahead) / one) < most) ?? to - from + 1;
  const all: number[] = [];
  for (let time = Math.ceil((from + ahead) / step) * step - ahead; time <= to; time += step) all.push(time);
  return all;
}

/** told returns the entries that have an ETA. */
export const told = (history: readonly Estimate[]): (Estimate & { eta: number })[] =>
  history.filter((e): e is Estimate & { eta: number } => e.eta !== undefined);

/** trendOf draws a history; undefined where there are not two ETAs. */
export function trendOf(history: readonly Estimate[], now: number, edge: Edge, ahead: number): Trend | undefined {
  const entries = told(history);
  if (entries.length < 2) return undefined;
  const begin = entries[0].time,
    end = Math.max(now, entries[entries.length - 1].time, begin + minute);
  const [low, high] = boundsOf(entries);
  const x = (time: number): number => edge.left + ((time - begin) / (end - begin)) * (edge.width - edge.left - edge.right),
    y = (eta: number): number => edge.height - edge.bottom - ((eta - low) / (high - low)) * (edge.height - edge.top - edge.bottom);
  const point = (time: number, eta: number): string => `${x(time).toFixed(1)} ${y(eta).toFixed(1)}`;
  const last = { ...entries[entries.length - 1], time: end }; // it holds until now
  const all = [...entries, last];
  const ranged = all.filter((e) => e.low !== undefined && e.high !== undefined);
  const upper = ranged.map((e) => point(e.time, e.high!)),
    lower = ranged.map((e) => point(e.time, e.low!)).reverse();
  return {
    band: ranged.length < 2 ? "" : `M${[...upper, ...lower].join("L")}Z`,
    line: `M${all.map((e) => point(e.time, e.eta)).join("L")}`,
    across: ticksOf(begin, end, 3, ahead).map((time) => ({ at: x(time), time })),
    up: ticksOf(low, high, 4, ahead).map((time) => ({ at: y(time), time })),
  };
}

// boundsOf returns the earliest and the latest time that is drawn, ten minutes apart at least.
function boundsOf(entries: readonly (Estimate & { eta: number })[]): [number, number] {
  let low = Infinity,
    high = -Infinity;
  for (const e of entries) {
    low = Math.min(low, e.eta, e.low ?? Infinity);
    high = Math.max(high, e.eta, e.high ?? -Infinity);
  }
  const room = Math.max(0, 10 * minute - (high - low)) / 2;
  return [low - room, high + room];
}
