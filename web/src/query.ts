// The one search box. A query is either words or an expression of the filter language. Words are matched here at once against
// everything that is known of a ship; the server evaluates an expression for /api/live.
import { plain } from "./letters";
import { groups } from "./palette";
import type { Ship } from "./ship";

/** Query is what stands in the search box. */
export type Query = { kind: "none" } | { kind: "words"; text: string; words: string[] } | { kind: "filter"; text: string };

const fields =
  "mmsi imo name callsign type type_code class source country country_code destination draught length width dwt gt " +
  "sog cog heading rot nav_status lat lon pos age hour dow shiplist port";
const operator = new RegExp(
  "(^|[\\s(!])(?:[tm]\\.)?(" +
    fields.replaceAll(" ", "|") +
    ")\\s*(=|!=|<|>|~|!~|\\bin\\b|\\blike\\b|\\bis\\b|\\bwithin\\b|\\bnot\\s+(?:in|like|within)\\b)",
  "i",
);

/** classify tells words from an expression: an expression has a comparison, a wildcard, brackets or a sign of logic. */
export function classify(text: string): Query {
  const trimmed = text.trim();
  if (trimmed === "") return { kind: "none" };
  if (operator.test(trimmed) || /[=<>~&|()*?]/.test(trimmed) || /\s(and|or)\s+not\s|^not\s/i.test(trimmed)) {
    return { kind: "filter", text: trimmed };
  }
  const words = plain(trimmed);
  return { kind: "words", text: words, words: words.split(/\s+/) };
}

// The words for kinds of ships and for statuses, with what people also type, in both languages and without marks.
const typeCodes = new Map([
  ["tug", [31, 32, 52]],
  ["pilot", [50]],
  ["sar", [51]],
  ["military", [35]],
  ["law", [55]],
  ["sailing", [36]],
  ["pleasure", [37]],
  ["dredger", [33]],
  ["diving", [34]],
]);
const classes = ["sar", "sart", "mob", "epirb"];
const kinds = new Set<string>([...groups, ...typeCodes.keys(), ...classes, "station", "lost"]);
const synonyms = meanings({
  tanker: "tankers tankschiff",
  cargo: "cargos frachter frachtschiff",
  passenger: "ferry ferries fahre passagierschiff",
  fishing: "fischer fischerei",
  tug: "tugs schlepper",
  pilot: "pilots lotse lotsen",
  leisure: "yacht yachts",
  sailing: "segler",
  dredger: "bagger",
  military: "marine",
  aton: "buoy tonne seezeichen",
  lost: "verloren",
});
const statuses = meanings({
  "0 8": "under_way underway fahrt",
  "1": "anchored anchor anker ankert",
  "2": "nuc",
  "3": "restricted",
  "4": "cbd",
  "5": "moored festgemacht",
  "6": "aground gestrandet",
});

// meanings turns meanings with their words into words with their meaning.
function meanings(words: Record<string, string>): Map<string, string> {
  return new Map(Object.entries(words).flatMap(([meaning, all]) => all.split(" ").map((word) => [word, meaning] as const)));
}

const station = (ship: Ship): boolean => ship.group === "base" || ship.group === "aton";

function isOfKind(ship: Ship, kind: string): boolean {
  if (kind === "lost") return ship.signal === "lost";
  if (kind === "station") return station(ship);
  return (
    (kinds.has(kind) && ship.group === kind) ||
    (kind === "fishing" && ship.nav_status === 7 && ship.group === "other") ||
    (classes.includes(kind) && ship.class === kind) ||
    typeCodes.get(kind)?.includes(ship.type_code ?? 0) === true
  );
}

function wordMatches(ship: Ship, word: string): boolean {
  if (isOfKind(ship, synonyms.get(word) ?? word)) return true;
  if (ship.nav_status !== undefined && !station(ship) && statuses.get(word)?.split(" ").includes(String(ship.nav_status))) return true;
  if (ship.country_code !== undefined && word.length === 2 && ship.country_code.toLowerCase() === word) return true;
  return ship.text.includes(word);
}

/** matches tells whether a ship answers the words: the whole phrase in one of its texts, or each word for itself. */
export function matches(ship: Ship, query: Query): boolean {
  if (query.kind !== "words") return true;
  if (ship.text.includes(query.text)) return true;
  for (const word of query.words) if (!wordMatches(ship, word)) return false;
  return true;
}

/** isKind tells whether the words name a kind of ship or a status, so that Enter keeps the filter and goes nowhere. */
export function isKind(query: Query): boolean {
  return query.kind === "words" && query.words.every((word) => kinds.has(synonyms.get(word) ?? word) || statuses.has(word));
}

/** rank orders the answers to words: the ship of that name, then names that begin so, then the rest; higher is better. */
export function rank(ship: Ship, text: string): number {
  const name = plain(ship.name ?? "");
  if (name === text || String(ship.mmsi) === text || String(ship.imo ?? "") === text || plain(ship.callsign ?? "") === text) return 4;
  if (name.startsWith(text) || String(ship.mmsi).startsWith(text)) return 3;
  if (name.includes(text)) return 2;
  return ship.text.includes(text) ? 1 : 0;
}

/** best gives up to limit ships that answer the words, best first; ships before stations, live before lost. */
export function best(ships: Iterable<Ship>, query: Query, limit: number): Ship[] {
  if (query.kind !== "words") return [];
  const found: { ship: Ship; rank: number }[] = [];
  for (const ship of ships) {
    if (!matches(ship, query)) continue;
    const r = rank(ship, query.text) * 4 + (ship.signal === "lost" ? 0 : 1) + (station(ship) ? 0 : 2);
    found.push({ ship, rank: r });
  }
  found.sort((a, b) => b.rank - a.rank || (a.ship.name ?? "~").localeCompare(b.ship.name ?? "~") || a.ship.mmsi - b.ship.mmsi);
  return found.slice(0, limit).map((f) => f.ship);
}

/** searchText is the text of a ship that words are looked up in; flag is its country in the user's language. */
export function searchText(s: Partial<Ship> & { mmsi: number }, flag?: string): string {
  return [s.name, s.mmsi, s.callsign, s.imo, s.destination, s.country, flag, s.type, s.nav_status_text]
    .filter((part) => part !== undefined && part !== "")
    .map((part) => plain(String(part)))
    .join("\n");
}
