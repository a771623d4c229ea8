// What the API said was wrong: the errors of a problem name fields by JSON pointer.
import { createContext } from "preact";
import { Refusal } from "../api";
import type { Referrer } from "../contract";
import { learn, t, told } from "../text/text";
import { whyOf } from "../why";
import de from "./de.json";
import en from "./en.json";

learn({ en, de });

/** Wrong is what was wrong with the last try to save: of single fields by pointer, and the rest. */
export interface Wrong {
  general: string;
  at: Record<string, string>;
  /** shown are the pointers that fields told. */
  shown?: Set<string>;
}
/** nothingWrong is before any try. */
export const nothingWrong: Wrong = { general: "", at: {} };

/** Errors returns the fields of a sheet what was wrong. */
export const Errors = createContext(nothingWrong);

/** wrongOf reads a failed call. A parameter has the pointer that it would have in a body. */
export function wrongOf(problem: unknown): Wrong {
  if (!(problem instanceof Refusal)) return { general: t("form.unreachable"), at: {} };
  const filter = problem.code === "filter_syntax" && problem.offset !== undefined ? t("search.error", { detail: told(problem.said) }) : "";
  const at = Object.fromEntries(
    problem.errors.map((e) => [e.pointer ?? (e.parameter ? "/" + e.parameter : ""), e.rule === "filter" && filter ? filter : told(e)]),
  );
  return { general: problem.errors.length > 0 ? t("form.look") : filter || stillReferred(problem) || whyOf(problem), at };
}

/** stillReferred says what still refers to a thing that was to go; "" for any other refusal. */
export function stillReferred(problem: unknown): string {
  if (!(problem instanceof Refusal) || problem.code !== "conflict" || problem.records.length === 0) return "";
  const by = (problem.records as Referrer[]).map((r) =>
    r.name === undefined ? t("refers." + r.type) : t("refers." + r.type, { name: r.name }),
  );
  return t("refers.still", { by: by.join(", ") });
}

/**
 * below returns what was wrong at a pointer or at something below it, as /groups/1 below /groups. An element of a list is named as in each; one that
 * stands alone needs no name. Without each it is counted from one.
 */
export function below(wrong: Wrong, pointer: string | undefined, each?: readonly string[]): string {
  if (!pointer) return "";
  const found = Object.entries(wrong.at).filter(([p]) => p === pointer || p.startsWith(pointer + "/"));
  for (const [p] of found) wrong.shown?.add(p);
  const named = (part: string): string =>
    !/^\d+$/.test(part) ? part : !each ? String(Number(part) + 1) : each.length > 1 ? (each[Number(part)] ?? "") : "";
  const placed = (p: string): string => p.slice(pointer.length).split("/").map(named).filter(Boolean).join("/");
  return found.map(([p, detail]) => [placed(p), detail].filter(Boolean).join(": ")).join("; ");
}

/** wrongAt returns what was wrong at a pointer alone. */
export function wrongAt({ at, shown }: Wrong, pointer: string): string | undefined {
  shown?.add(pointer);
  return at[pointer];
}

/** generalOf is the general text, with what no field of the form told. */
export function generalOf({ general, at, shown }: Wrong): string {
  const left = Object.keys(at).filter((p) => p !== "" && !shown?.has(p)),
    why = left.map((p) => at[p]).join("; ");
  if (why === "") return general;
  const marked = left.length < Object.keys(at).length;
  return (marked ? general + " " : "") + t("form.refused", { why });
}
