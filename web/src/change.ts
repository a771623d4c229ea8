// A change of what others may be changing too.
import { Refusal, send } from "./api";
import type { Desk } from "./desk";
import { t } from "./text/text";

/** Revised is what the API tells the revision of: another text after each change by anybody. */
export interface Revised {
  revision: string;
}

/**
 * put changes a thing from what it was when it was read and gives what it is now; undefined when nothing was changed. Where somebody
 * else changed it meanwhile, clash says in words what the change would undo, and the user is asked, unless that is nothing. redo makes
 * the change anew from what the other wrote, where it depends on that.
 */
export async function put<T extends Revised>(
  desk: Desk,
  path: string,
  name: string,
  was: T,
  body: object,
  clash: (theirs: T) => string[],
  redo: (theirs: T) => object = () => body,
): Promise<T | undefined> {
  let seen = was;
  for (let tries = 1; ; tries++) {
    try {
      return await send<T>("PUT", path, { ...body, revision: seen.revision });
    } catch (problem) {
      if (!(problem instanceof Refusal) || tries > 5 || !problem.errors.some((e) => e.pointer === "/revision")) throw problem;
      seen = await send<T>("GET", path);
      const lines = clash(seen);
      if (lines.length > 0 && !(await desk.ask({ title: t("change.clash", { name }), lines, yes: t("change.overwrite"), bad: true })))
        return undefined;
      body = redo(seen);
    }
  }
}

/** equal compares what JSON can say; nothing and an empty text are the same. */
export const equal = (a: unknown, b: unknown): boolean => (a ?? "") === (b ?? "") || JSON.stringify(a) === JSON.stringify(b);

/** clashing returns the keys that both changed from what they were, to something else. */
export const clashing = <T>(was: T, mine: Partial<T>, theirs: T, keys: readonly (keyof T)[]): (keyof T)[] =>
  keys.filter((key) => !equal(was[key], mine[key]) && !equal(was[key], theirs[key]) && !equal(mine[key], theirs[key]));
