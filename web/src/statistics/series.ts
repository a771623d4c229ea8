// What the chart of a result shows: numbers over time, or over speed.
import { wall } from "../text/clock";
import { compassOf, weekOf, type Cells } from "./cells";
import type { Lanes } from "./lanes";
import type { RecordOf, Row } from "./row";

/** Series is what is drawn: bars, steps or points. */
export interface Series {
  /** says is the key of the sentence that says what it shows. */
  says: "count" | "stays" | "inside" | "points" | "speeds" | "along" | "hours";
  style: "bars" | "steps" | "points";
  /** x are seconds since 1970; or knots, metres along a line, or hours of the day. */
  x: number[];
  y: number[];
  /** step is how many seconds a bar of a time is. */
  step?: number;
  /** ends are those of the axis of x. */
  ends: [number, number];
  /** rowsAt returns the rows that stand at a place of the axis of x, with the ends of what was met. */
  rowsAt?: (x: number) => Met;
}

/** Met is what of a chart was clicked on: rows, and from where to where on the axis of x. */
export interface Met {
  rows: Row[];
  from: number;
  to: number;
}

/** day is the seconds of one. */
export const day = 86400;
const steps = [3600, 6 * 3600, day, 7 * day]; // seconds of a bar
const mostBars = 60;

type Period = readonly [begin: number, end: number]; // Unix milliseconds

// counted counts rows in equal steps of the period.
const counted = (rows: readonly Row[], period: Period): Series => ({ ...summed(rows, period, steps, () => 1), says: "count" });

// stays adds up the hours of all ships. Its rows are of a day each.
const stays = (rows: readonly Row[], period: Period): Series => ({
  ...summed(rows, period, steps.slice(2), ({ of }) => (of.seconds ?? 0) / 3600),
  says: "stays",
});

// summed adds up what rows weigh in equal steps of the period, the first that makes few enough bars.
function summed(rows: readonly Row[], [begin, end]: Period, steps: readonly number[], weigh: (row: Row) => number): Omit<Series, "says"> {
  const step = steps.find((s) => (end - begin) / 1000 / s <= mostBars) ?? steps[steps.length - 1];
  const first = Math.floor(begin / 1000 / step),
    x = Array.from({ length: Math.max(1, Math.ceil(end / 1000 / step) - first) }, (_, i) => (first + i + 0.5) * step),
    y = x.map(() => 0);
  for (const row of rows) {
    const i = row.time === undefined ? -1 : Math.floor(row.time / 1000 / step) - first;
    if (i >= 0 && i < y.length) y[i] += weigh(row);
  }
  const rowsAt = (at: number): Met => {
    const bar = Math.floor(at / step);
    return {
      rows: rows.filter(({ time }) => time !== undefined && Math.floor(time / 1000 / step) === bar),
      from: bar * step,
      to: (bar + 1) * step,
    };
  };
  return { style: "bars", x, y, step, ends: [first * step, (first + x.length) * step], rowsAt };
}

// inside counts the ships that are there at once: each way in adds one, each way out takes one away.
function inside(rows: readonly Row[], [begin, end]: Period, wayOf: (row: Row) => [number | undefined, number | undefined]): Series {
  const moves = rows.flatMap((row) => {
    const [came, left = end] = wayOf(row);
    return [
      [Math.max(begin, came ?? begin), 1],
      [Math.min(end, left), -1],
    ];
  });
  moves.sort((a, b) => a[0] - b[0] || b[1] - a[1]);
  const x = [begin / 1000],
    y = [0];
  let n = 0;
  for (const [time, by] of moves) {
    n += by;
    if (x.at(-1) === time / 1000) y[y.length - 1] = n;
    else {
      x.push(time / 1000);
      y.push(n);
    }
  }
  if (x.at(-1)! < end / 1000) {
    x.push(end / 1000);
    y.push(y.at(-1)!);
  }
  const rowsAt = (at: number): Met => {
    const i = x.findLastIndex((each) => each <= at),
      there = rows.filter((row) => {
        const [came = begin, left = end] = wayOf(row);
        return came <= at * 1000 && at * 1000 <= left;
      });
    return { rows: there, from: x[Math.max(0, i)], to: x[i + 1] ?? end / 1000 };
  };
  return { says: "inside", style: "steps", x, y, ends: [begin / 1000, end / 1000], rowsAt };
}

// points are the distances at their times.
function points(rows: readonly Row[], [begin, end]: Period): Series {
  const all = rows.flatMap(({ time, of }) => (time === undefined || of.distance === undefined ? [] : [[time / 1000, of.distance]]));
  all.sort((a, b) => a[0] - b[0]);
  return {
    says: "points",
    style: "points",
    x: all.map(([time]) => time),
    y: all.map(([, metres]) => metres),
    ends: [begin / 1000, end / 1000],
    rowsAt: (at) => {
      const far = ({ time = 0 }: Row): number => Math.abs(time / 1000 - at);
      const nearest = rows.reduce((best, row) => (far(row) < far(best) ? row : best));
      return { rows: [nearest], from: nearest.time! / 1000, to: nearest.time! / 1000 };
    },
  };
}

// speeds adds up the hours at each speed, of all ships and days.
function speeds(rows: readonly Row[]): Series {
  const y: number[] = [];
  for (const { of } of rows)
    of.sogs?.forEach((s, i) => {
      y[i] = (y[i] ?? 0) + s / 3600;
    });
  const all = Array.from(y, (hours) => hours ?? 0);
  return { says: "speeds", style: "bars", x: all.map((_, i) => i / 2), y: all, ends: [-0.5, all.length / 2] };
}

// binned counts rows in equal steps of a figure.
function binned(says: "along" | "hours", rows: readonly Row[], of: (row: Row) => number | undefined, step: number, bars: number): Series {
  const barOf = (row: Row): number => Math.floor((of(row) ?? -step) / step),
    y = Array.from({ length: bars }, () => 0);
  for (const row of rows) {
    const bar = barOf(row);
    if (bar >= 0 && bar < bars) y[bar]++;
  }
  return {
    says,
    style: "bars",
    x: y.map((_, bar) => (bar + 0.5) * step),
    y,
    ends: [0, bars * step],
    rowsAt: (x) => {
      const bar = Math.floor(x / step);
      return { rows: rows.filter((row) => barOf(row) === bar), from: bar * step, to: (bar + 1) * step };
    },
  };
}

const pieces = [10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10e3, 25e3, 50e3, 100e3, 250e3, 500e3, 1e6]; // metres

// along counts passages along a line, in pieces of round lengths.
function along(rows: readonly Row[]): Series {
  const farthest = rows.reduce((most, { of }) => Math.max(most, of.distance ?? 0), 0),
    piece = pieces.find((each) => farthest / each < 30) ?? pieces[pieces.length - 1];
  return binned("along", rows, ({ of }) => of.distance, piece, Math.floor(farthest / piece) + 1);
}

// hours counts rows by the hour of the day, as the clock of the user shows it.
const hours = (rows: readonly Row[]): Series =>
  binned("hours", rows, ({ time }) => (time === undefined ? undefined : Number(wall(time).slice(11, 13))), 1, 24);

const turning = ["passageline", "multipassageline", "area", "nmss", "nmsp"];
const ofTheWeek = ["passageline", "multipassageline", "area", "nmss", "nmsp", "portcalls", "trip", "transitpilot", "pilotboat"];
const ofTheDay = ["passageline", "multipassageline", "portcalls", "trip", "transitpilot", "pilotboat"];

/** chartsOf returns the charts that answer the question of a kind, the first of them first. */
export function chartsOf(kind: string, rows: readonly Row[], period: Period): (Series | Cells | Lanes)[] {
  const first = seriesOf(kind, rows, period);
  if (!first) return [];
  const daily = ofTheDay.includes(kind) && rows.some(({ time }) => time !== undefined),
    line = kind === "passageline";
  const lanes: Lanes[] = line ? [{ says: "lanes", style: "lanes" }] : [];
  return [first, ...(line ? [along(rows)] : []), ...(daily ? [hours(rows)] : []), ...lanes, ...cellsOf(kind, rows)];
}

// cellsOf returns the charts by the hours of the week, and by the courses.
function cellsOf(kind: string, rows: readonly Row[]): Cells[] {
  const compass = turning.includes(kind) ? compassOf(rows) : undefined,
    timed = ofTheWeek.includes(kind) && rows.some(({ time }) => time !== undefined);
  return [...(timed ? [weekOf(rows)] : []), ...(compass ? [compass] : [])];
}

const parsed = (text: string | undefined): number | undefined => (text ? Date.parse(text) : undefined);
const visit = ({ of }: Row): [number | undefined, number | undefined] => [parsed(of.time_in), parsed(of.time_out)];
const call = ({ of }: Row): [number | undefined, number | undefined] => [parsed(of.ata), parsed(of.atd)];

const timed = (of: RecordOf): boolean => of.ata !== undefined || of.atd !== undefined;

/** seriesOf returns what the chart of a kind shows; undefined where a chart says nothing. */
export function seriesOf(kind: string, rows: readonly Row[], period: Period): Series | undefined {
  if (rows.length === 0 || kind === "historicaltrack") return undefined;
  if (kind === "sogdist") return speeds(rows);
  if (kind === "nmss" || kind === "nmsp") return points(rows, period);
  if (kind === "density") return stays(rows, period);
  if (kind === "area" && rows[0].of.time_in !== undefined) return inside(rows, period, visit);
  if (kind === "portcalls") return rows.some(({ of }) => timed(of)) ? inside(rows, period, call) : undefined;
  return kind === "area" ? undefined : counted(rows, period);
}
