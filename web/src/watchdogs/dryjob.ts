// A dry run: the server plays the stored past to a watchdog that is not saved, and tells what it would have raised.
import { send, type Sentence } from "../api";
import type { DryRun, JobID } from "../contract";
import { parseTime } from "../time";
import { eventOf, type WatchEvent } from "./event";

/** Reason is why a watchdog did not tell of a ship, with the moment that it speaks of, where there is one. */
export type Reason = NonNullable<DryRun["why"]>[number];

/** Played is what a dry run found; times are Unix milliseconds. */
export interface Played {
  from: number;
  to: number;
  ships: number;
  reports: number;
  /** filled is how many of the reports stand for those that the store has left out. */
  filled: number;
  events: WatchEvent[];
  /** count is how many events there were; more tells that not all of them are here. */
  count: number;
  more: boolean;
  warnings: Sentence[];
  why: Reason[];
}

// While it runs there is its status alone.
type Answer = DryRun & { status?: string; progress?: number };

const path = "watchdog/dryrun";
const pace = 400; // milliseconds between two looks

/** Span is from when to when it is played, in Unix milliseconds. */
export interface Span {
  from: number;
  to: number;
}

/** play plays a definition over a span, for one ship where a number is given. It tells how far it is, from 0 to 1; when signal ends, so does the run. */
export async function play(
  definition: object,
  { from, to }: Span,
  mmsi: number,
  signal: AbortSignal,
  progress: (part: number) => void,
  known: (mmsi: number) => string | undefined,
): Promise<Played> {
  const times = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
  const { id } = await send<JobID>("POST", path, { definition, ...times, ...(mmsi > 0 && { mmsi }) }, signal);
  const one = `${path}/${id}`;
  const end = (): void => void send("DELETE", one).catch(() => undefined); // it ends by itself too, later
  signal.addEventListener("abort", end, { once: true });
  for (;;) {
    if (signal.aborted) throw signal.reason;
    const answer = await send<Answer>("GET", one, undefined, signal);
    if (answer.status === undefined) {
      signal.removeEventListener("abort", end);
      return playedOf(answer, known);
    }
    progress(answer.progress ?? 0);
    await new Promise((done) => setTimeout(done, pace));
  }
}

const playedOf = (a: Answer, known: (mmsi: number) => string | undefined): Played => ({
  from: parseTime(a.from),
  to: parseTime(a.to),
  ships: a.ships,
  reports: a.reports,
  filled: a.filled,
  events: a.events.map((r) => eventOf({ ...r, id: 0 }, known)).sort((x, y) => x.time - y.time),
  count: a.count,
  more: a.more,
  warnings: a.warnings,
  why: a.why ?? [],
});
