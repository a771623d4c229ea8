// The words that have a meaning of their own in the filter language: types, statuses, stations, countries. words.json is what the server
// knows; a test of its package ship holds both together.
import type { Ship } from "./ship";
import lines from "./words.json";

/** Meaning is what a word says of a ship; a ship has it when one of the fields agrees. */
export interface Meaning {
  say: string;
  types?: number[][];
  classes?: string[];
  statuses?: number[];
  country?: string;
  lost?: boolean;
  other?: boolean;
  ships?: boolean;
  server?: boolean; // the server alone knows what the word says
  before?: boolean; // and only where a word follows
}

const meanings = new Map((lines as Meaning[]).flatMap((line) => line.say.split("|").map((word) => [word, line] as const)));
const stations = new Set(["base", "coast", "aton", "sar", "sart", "mob", "epirb"]);

/** most is how many words a name of the lists has at most. */
export const most = 5;

/** meaningOf returns the meaning of words that stand as plain of letters.ts gives them, with one blank between them. */
export const meaningOf = (words: string): Meaning | undefined => meanings.get(words);

/** closedWords returns all words of the lists. */
export const closedWords = (): string[] => [...meanings].filter(([, meaning]) => !meaning.before).map(([word]) => word);

/** holds tells whether a ship has a meaning. */
export function holds(meaning: Meaning, ship: Ship): boolean {
  if (meaning.lost) return ship.signal === "lost";
  if (meaning.ships) return !stations.has(ship.class ?? "");
  if (meaning.country !== undefined) return ship.country_code === meaning.country;
  const code = ship.type_code ?? 0;
  const typed = meaning.types?.some(([first, last]) => code >= first && code <= last) === true;
  if (meaning.other) return typed && !stations.has(ship.class ?? "");
  return (
    typed ||
    meaning.classes?.includes(ship.class ?? "") === true ||
    (ship.nav_status !== undefined && meaning.statuses?.includes(ship.nav_status) === true)
  );
}
