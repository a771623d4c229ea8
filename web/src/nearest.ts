// What the user may have meant by a term that no ship has: the nearest words of the lists, names of ships, and destinations.
import { plain } from "./letters";
import type { Ship } from "./ship";
import { closedWords, meaningOf } from "./words";

/** unknownTerms returns the terms that no ship has in its name or numbers. */
export function unknownTerms(terms: string[], ships: Iterable<Ship>): string[] {
  const unknown = new Map(terms.map((term) => [plain(term).trim(), term]));
  for (const ship of ships) {
    if (unknown.size === 0) break;
    for (const text of unknown.keys()) if (ship.text.includes(text)) unknown.delete(text);
  }
  return [...unknown.values()];
}

/** nearest gives up to limit texts to put in the place of a term, nearest first. */
export function nearest(term: string, ships: Iterable<Ship>, limit: number): string[] {
  const text = plain(term).trim();
  const best = new Map<unknown, { offer: string; far: number }>();
  const note = (key: unknown, offer: string, far: number): void => {
    if (far < (best.get(key)?.far ?? Infinity)) best.set(key, { offer, far });
  };
  for (const word of closedWords()) if (word.length > 2 && !isContrary(text, word)) note(meaningOf(word), word, farness(text, word));
  let going = false;
  for (const ship of ships) {
    going ||= text.length > 1 && plain(ship.destination ?? "").includes(text);
    if (!ship.name) continue;
    const name = plain(ship.name);
    note(ship.name, asTerm(ship.name), Math.min(farness(text, name), ...name.split(" ").map((word) => farness(text, word))) + 0.5);
  }
  const found = [...best.values()].filter(({ far }) => far < Infinity).sort((a, b) => a.far - b.far || a.offer.localeCompare(b.offer));
  const offers = found.slice(0, limit).map(({ offer }) => offer);
  return going ? [`destination ~ "*${text.replace(/["\\]/g, "")}*"`, ...offers.slice(0, limit - 1)] : offers;
}

// isContrary tells whether the text says the contrary of a word, as "unmoored": that is never meant by it.
const isContrary = (text: string, word: string): boolean =>
  text.endsWith(word) && /^(?:un|non|not|no|nicht|kein|in)[ -]?$/.test(text.slice(0, text.length - word.length));

/** asTerm writes a name so that the filter language reads it as one. */
export function asTerm(name: string): string {
  const words = plain(name).split(" ");
  const bare = /^[\p{L}\p{Nd}][\p{L}\p{Nd}/ -]*$/u.test(name) && !words.some((word) => meaningOf(word) || keywords.has(word));
  return bare ? name : `"${name.replace(/["\\*?]/g, "\\$&")}"`;
}

const keywords = new Set("and or not in like is null within circle bbox shape und oder nicht".split(" "));

// farness is how far a word is from what was typed: less than one for its beginning, else the letters that differ; Infinity for too many.
function farness(typed: string, word: string): number {
  if (typed.length > 1 && word.startsWith(typed)) return Math.min(0.9, (word.length - typed.length) / 20);
  const most = typed.length < 4 ? 0 : typed.length < 7 ? 1 : 2;
  if (most === 0 || Math.abs(typed.length - word.length) > most) return Infinity;
  const letters = distance(typed, word);
  return letters <= most ? letters : Infinity;
}

// distance counts the letters to add, remove, change or swap.
function distance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const now = [i];
    for (let j = 1; j <= b.length; j++) {
      now[j] = Math.min(last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) now[j] = Math.min(now[j], before[j - 2] + 1);
    }
    before = last;
    last = now;
  }
  return last[b.length];
}
