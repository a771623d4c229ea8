// Answer is the way that the server found, as the planner shows it.
import type { Sentence } from "../api";
import type { RouteEndFound, SeaRoute } from "../contract";
import { beside, unwrap, type Place } from "../geometry";
import { metresPerMile } from "../text/figures";
import { parseSpan, parseTime } from "../time";
import type { Plan } from "./plan";

/** Largest is the largest ship that a passage lets through, in metres. */
export interface Largest {
  draught?: number;
  length?: number;
  beam?: number;
  air?: number;
}

/** Answer is a way. */
export interface Answer {
  of: Plan; // what was asked
  line: Place[]; // with longitudes that go on beyond 180 degrees
  metres: number;
  snaps: [number, number]; // metres on what the chart has as land, at the first end and at the last
  ends: [RouteEndFound, RouteEndFound];
  passages: { name: string; most: Largest }[];
  warnings: Sentence[]; // what closed a shorter way
  fairways: string[];
  slow: { knots: number; metres: number }[]; // parts on which a ship may sail no faster
  draught?: number; // metres
  limited: boolean; // the draught closed a shorter way
  likely?: { knots: number; lasts: number; begins: number }; // the voyage of the ship that is the source; milliseconds
}

/** answerOf reads an answer. */
export function answerOf(r: SeaRoute, of: Plan): Answer {
  const most = new Map(
    r.passage_limits.map(({ name, ...of }): [string, Largest] => [
      name,
      { draught: of.max_draught, length: of.max_length, beam: of.max_beam, air: of.max_air_draught },
    ]),
  );
  const lasts = parseSpan(r.duration),
    eta = r.eta ? parseTime(r.eta) : NaN;
  return {
    of,
    line: unwrap(r.route.coordinates),
    metres: r.distance,
    snaps: [r.snap_source, r.snap_destination],
    ends: [r.source, r.destination],
    passages: r.passages.map((name) => ({ name, most: most.get(name) ?? {} })),
    warnings: r.warnings ?? [],
    fairways: r.fairways ?? [],
    slow: (r.speed_limits ?? []).map(({ speed, distance }) => ({ knots: speed, metres: distance })),
    draught: r.draught,
    limited: r.draught_limited,
    likely: r.speed && lasts !== undefined && Number.isFinite(eta) ? { knots: r.speed, lasts, begins: eta - lasts } : undefined,
  };
}

/** Voyage is how long a way takes, and when it ends. Milliseconds. */
export interface Voyage {
  knots: number;
  lasts: number;
  begins: number;
  ends: number;
}

/** voyageOf works a voyage out at the speed of the plan, else at the likely one of the ship; undefined while no speed is known. */
export function voyageOf(a: Answer, plan: Plan, now: number): Voyage | undefined {
  const knots = plan.speed ?? a.likely?.knots ?? 0;
  if (!(knots > 0)) return undefined;
  const lasts = plan.speed === undefined && a.likely ? a.likely.lasts : lastsAt(a, knots);
  const begins = plan.departure ?? a.likely?.begins ?? now;
  return { knots, lasts, begins, ends: begins + lasts };
}

// lastsAt is how long a way takes at a speed, in milliseconds, and no faster than fairways allow.
function lastsAt(a: Answer, knots: number): number {
  const slow = a.slow.filter((part) => part.knots < knots);
  const hours = slow.reduce((sum, part) => sum + part.metres * (1 / part.knots - 1 / knots), a.metres / knots) / metresPerMile;
  return hours * 3600e3;
}

const same = ([x, y]: Place, [lon, lat]: Place): boolean => Math.abs(y - lat) < 2e-6 && Math.abs(beside(lon, x) - x) < 2e-6;

/** corners returns for each stop the place in the line at which it lies, in order. */
export function corners(a: Answer): number[] {
  const found = [0];
  for (const { at } of a.of.via) {
    const from = found[found.length - 1];
    let best = a.line.findIndex((p, i) => i >= from && same(p, at));
    if (best < 0) best = nearest(a.line, at, from);
    found.push(best);
  }
  return [...found, a.line.length - 1];
}

function nearest(line: readonly Place[], [lon, lat]: Place, from: number): number {
  let best = from,
    least = Infinity;
  for (let i = from; i < line.length; i++) {
    const east = (beside(lon, line[i][0]) - line[i][0]) * Math.cos((lat * Math.PI) / 180),
      d = Math.hypot(east, line[i][1] - lat);
    if (d < least) {
      least = d;
      best = i;
    }
  }
  return best;
}
