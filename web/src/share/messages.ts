// What a tab and the hub say to each other. All of it can be cloned.
import type { Refusal } from "../api";
import type { Problem } from "../contract";

/** Asked is what a tab says to the hub. */
export type Asked =
  /** The tab wants the ships of a filter ("" for all) as the user with this uid. It is said again as a sign of life; n is another for another wish. */
  | { kind: "ask"; n: number; filter: string; user: string }
  /** The tab has taken an event. */
  | { kind: "took"; n: number }
  /** The next try to reach the server is to be now. */
  | { kind: "retry" }
  /** The tab wants nothing any more. */
  | { kind: "leave" };

/** Refused is a problem of the server as it can be cloned. */
export type Refused = Pick<Refusal, "status" | "code"> & Pick<Problem, "detail"> & Partial<Pick<Problem, "rule" | "params" | "offset">>;

/** Told is what the hub says to a tab; n is that of the wish. */
export type Told =
  /** The hub lives. */
  | { kind: "here" }
  | { kind: "event"; n: number; name: string; data: string }
  /** The stream runs, or does not and is tried again at a time (Unix milliseconds). */
  | { kind: "up"; n: number; up: boolean; retryAt: number }
  | { kind: "refused"; n: number; problem: Refused }
  /** The hub does not serve the tab any more, since it took nothing for long. */
  | { kind: "lost"; n: number }
  /** Another tab has the hub now, so the tab has to ask anew. */
  | { kind: "moved" };

/** Way leads a tab to the hub. */
export interface Way {
  send(message: Asked): void;
  /** missed tells that the hub did not answer for so many seconds in a row. */
  missed(seconds: number): void;
  /** close ends the way: the tab is closed, or goes another way. */
  close(): void;
}
