// A value of a JSON text is changed in the text itself: no digit, no order and no key of anything else changes.

/** Span is where a value stands in a text. */
export type Span = readonly [from: number, to: number];

const blank = /[ \t\r\n]/;

function skip(text: string, at: number): number {
  while (at < text.length && blank.test(text[at])) at++;
  return at;
}

// endOf returns where a value that begins at a place ends. The text is valid JSON.
function endOf(text: string, at: number): number {
  if (text[at] === '"') {
    for (at++; text[at] !== '"'; at++) if (text[at] === "\\") at++;
    return at + 1;
  }
  if (text[at] !== "{" && text[at] !== "[") {
    while (at < text.length && !/[,\]}\s]/.test(text[at])) at++;
    return at;
  }
  for (let deep = 0; ; ) {
    if (text[at] === '"') {
      at = endOf(text, at);
      continue;
    }
    if (text[at] === "{" || text[at] === "[") deep++;
    if (text[at] === "}" || text[at] === "]") deep--;
    at++;
    if (deep === 0) return at;
  }
}

/** spanOf finds a value of a valid JSON text by the keys and places that lead to it. Of a key that stands twice the last counts, as in JSON.parse. */
export function spanOf(text: string, path: readonly (string | number)[], from = 0): Span | undefined {
  const at = skip(text, from);
  if (path.length === 0) return [at, endOf(text, at)];
  const [step, ...rest] = path;
  const inner = typeof step === "string" ? member(text, at, step) : element(text, at, step);
  return inner === undefined ? undefined : spanOf(text, rest, inner);
}

function member(text: string, at: number, wanted: string): number | undefined {
  if (text[at] !== "{") return undefined;
  let found: number | undefined;
  at = skip(text, at + 1);
  while (text[at] === '"') {
    const end = endOf(text, at),
      key = JSON.parse(text.slice(at, end)) as string;
    at = skip(text, skip(text, end) + 1); // behind the colon
    if (key === wanted) found = at;
    at = skip(text, endOf(text, at));
    if (text[at] === ",") at = skip(text, at + 1);
  }
  return found;
}

function element(text: string, at: number, wanted: number): number | undefined {
  if (text[at] !== "[") return undefined;
  at = skip(text, at + 1);
  for (let i = 0; text[at] !== "]"; i++) {
    if (i === wanted) return at;
    at = skip(text, endOf(text, at));
    if (text[at] === ",") at = skip(text, at + 1);
  }
  return undefined;
}

/** textAt returns the text of a value, "" of none. */
export function textAt(text: string, path: readonly (string | number)[]): string {
  const span = spanOf(text, path);
  return span ? text.slice(...span) : "";
}

/** replaced returns the text with another value in a place; undefined where there is no such place. */
export function replaced(text: string, path: readonly (string | number)[], value: string): string | undefined {
  const span = spanOf(text, path);
  return span && text.slice(0, span[0]) + value + text.slice(span[1]);
}
