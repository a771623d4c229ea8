// Reading is how the server reads what stands in the search box: condition by condition, each with its place in the text.
import { send } from "../api";
import type { App } from "../app";
import type { FilterReading } from "../contract";
import type { Read } from "../search";

/** Condition is one condition of a filter; start and end are places in the text. */
export type Condition = FilterReading["conditions"][number];

export class Reading implements Read {
  constructor(
    readonly text: string,
    readonly conditions: readonly Condition[],
    /** any tells that one of the conditions has to hold, and not all. */
    readonly any: boolean,
    /** sure is false of what is left after one was taken out, until the server has read it. */
    readonly sure = true,
  ) {}

  get count(): number {
    return this.conditions.length;
  }

  /** without returns what is left when a condition is taken out, with what joins it to its neighbours. open leaves a blank for the next word. */
  without(at: number, open = false): Reading {
    const { text, conditions } = this;
    const from = at + 1 < conditions.length || at === 0 ? conditions[at].start : conditions[at - 1].end;
    const to = at + 1 < conditions.length ? conditions[at + 1].start : text.length;
    const left = conditions
      .filter((_, i) => i !== at)
      .map((each, i) => (i < at ? each : { ...each, start: each.start - (to - from), end: each.end - (to - from) }));
    const rest = left.length === 0 ? "" : text.slice(0, from) + text.slice(to);
    return new Reading(open && rest !== "" ? rest.trimEnd() + " " : rest, left, this.any && left.length > 1, false);
  }
}

/** readingOf makes a Reading of the server's answer, which counts characters and not halves of them. */
export function readingOf(text: string, answer: FilterReading): Reading {
  const letters = [...text];
  const place = (characters: number): number => letters.slice(0, characters).join("").length;
  return new Reading(
    text,
    answer.conditions.map((each) => ({ ...each, start: place(each.start), end: place(each.end) })),
    answer.any,
  );
}

/** read asks the server how it reads a text. */
export const read = async (text: string, signal: AbortSignal): Promise<Reading> =>
  readingOf(text, await send("GET", `filter/reading?filter=${encodeURIComponent(text)}`, undefined, signal));

/** takeOut removes a condition from the search box, and from the filter at once. */
export function takeOut(app: App, at: number): void {
  const { reading } = app.search;
  if (!(reading instanceof Reading) || reading.text !== app.search.text || !reading.conditions[at]) return;
  const left = reading.without(at);
  app.search.reading = left;
  app.search.setText(left.text, true);
}
