// What the chart of a result shows: numbers over time, or over speed.
import type { RecordOf, Row } from "./row";

/** Series is what is drawn: bars, steps or points. */
export interface Series {
  /** says is the key of the sentence that says what it shows. */
  says: "count" | "inside" | "points" | "speeds";
  style: "bars" | "steps" | "points";
  /** x are seconds since 1970, or knots. */
  x: number[];
  y: number[];
  /** ends are those of the axis of x. */
  ends: [number, number];
}

const steps = [3600, 6 * 3600, 86400, 7 * 86400]; // seconds of a bar
const mostBars = 60;

type Period = readonly [begin: number, end: number]; // Unix milliseconds

// counted counts rows in equal steps of the period.
function counted(rows: readonly Row[], [begin, end]: Period): Series {
  const step = steps.find((s) => (end - begin) / 1000 / s <= mostBars) ?? steps[3];
  const first = Math.floor(begin / 1000 / step),
    x = Array.from({ length: Math.max(1, Math.ceil(end / 1000 / step) - first) }, (_, i) => (first + i + 0.5) * step),
    y = x.map(() => 0);
  for (const { time } of rows) {
    const i = time === undefined ? -1 : Math.floor(time / 1000 / step) - first;
    if (i >= 0 && i < y.length) y[i]++;
  }
  return { says: "count", style: "bars", x, y, ends: [first * step, (first + x.length) * step] };
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
  return { says: "inside", style: "steps", x, y, ends: [begin / 1000, end / 1000] };
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

const parsed = (text: string | undefined): number | undefined => (text ? Date.parse(text) : undefined);
const visit = ({ of }: Row): [number | undefined, number | undefined] => [parsed(of.time_in), parsed(of.time_out)];
const call = ({ of }: Row): [number | undefined, number | undefined] => [parsed(of.ata), parsed(of.atd)];

const timed = (of: RecordOf): boolean => of.ata !== undefined || of.atd !== undefined;

/** seriesOf gives what the chart of a kind shows; undefined where a chart says nothing. */
export function seriesOf(kind: string, rows: readonly Row[], period: Period): Series | undefined {
  if (rows.length === 0 || kind === "historicaltrack") return undefined;
  if (kind === "sogdist") return speeds(rows);
  if (kind === "nmss" || kind === "nmsp") return points(rows, period);
  if (kind === "area" && rows[0].of.time_in !== undefined) return inside(rows, period, visit);
  if (kind === "portcalls") return rows.some(({ of }) => timed(of)) ? inside(rows, period, call) : undefined;
  return kind === "area" ? undefined : counted(rows, period);
}
