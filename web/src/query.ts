// The one search box. A query is either words or an expression of the filter language. Words are matched here at once against
// everything that is known of a ship; the server evaluates an expression for /api/live.
import { plain } from "./letters";
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

// The words for types of ships and for statuses, with what people also type, in both languages and without marks.
const typeWords: Record<string, (s: Ship) => boolean> = {
  cargo: (s) => s.group === "cargo",
  tanker: (s) => s.group === "tanker",
  passenger: (s) => s.group === "passenger",
  ferry: (s) => s.group === "passenger",
  fishing: (s) => s.group === "fishing" || (s.nav_status === 7 && s.group === "other"),
  tug: (s) => [31, 32, 52].includes(s.type_code ?? 0),
  pilot: (s) => s.type_code === 50,
  sar: (s) => s.type_code === 51 || s.class === "sar",
  military: (s) => s.type_code === 35,
  law: (s) => s.type_code === 55,
  sailing: (s) => s.type_code === 36,
  pleasure: (s) => s.type_code === 37,
  yacht: (s) => s.group === "leisure",
  hsc: (s) => s.group === "hsc",
  dredger: (s) => s.type_code === 33,
  diving: (s) => s.type_code === 34,
  base: (s) => s.group === "base",
  aton: (s) => s.group === "aton",
  sart: (s) => s.class === "sart",
  mob: (s) => s.class === "mob",
  epirb: (s) => s.class === "epirb",
  service: (s) => s.group === "service",
  leisure: (s) => s.group === "leisure",
  authority: (s) => s.group === "authority",
  other: (s) => s.group === "other",
  aircraft: (s) => s.group === "aircraft",
  distress: (s) => s.group === "distress",
  station: (s) => s.group === "base" || s.group === "aton",
  lost: (s) => s.signal === "lost",
};
const synonyms: Record<string, string> = {
  tankers: "tanker",
  cargos: "cargo",
  ferries: "ferry",
  tugs: "tug",
  pilots: "pilot",
  yachts: "yacht",
  frachter: "cargo",
  frachtschiff: "cargo",
  tankschiff: "tanker",
  fahre: "ferry",
  passagierschiff: "passenger",
  fischer: "fishing",
  fischerei: "fishing",
  schlepper: "tug",
  lotse: "pilot",
  lotsen: "pilot",
  segler: "sailing",
  bagger: "dredger",
  marine: "military",
  buoy: "aton",
  tonne: "aton",
  seezeichen: "aton",
  verloren: "lost",
};
const statusWords: Record<string, number[]> = {
  moored: [5],
  anchored: [1],
  anchor: [1],
  under_way: [0, 8],
  underway: [0, 8],
  aground: [6],
  restricted: [3],
  nuc: [2],
  cbd: [4],
  festgemacht: [5],
  anker: [1],
  ankert: [1],
  fahrt: [0, 8],
  gestrandet: [6],
};

function wordMatches(ship: Ship, word: string): boolean {
  const kind = synonyms[word] ?? word;
  const byType = Object.hasOwn(typeWords, kind) ? typeWords[kind] : undefined;
  if (byType?.(ship)) return true;
  const byStatus = Object.hasOwn(statusWords, word) ? statusWords[word] : undefined;
  if (byStatus && ship.nav_status !== undefined && byStatus.includes(ship.nav_status) && ship.group !== "base" && ship.group !== "aton")
    return true;
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
  return query.kind === "words" && query.words.every((w) => Object.hasOwn(typeWords, synonyms[w] ?? w) || Object.hasOwn(statusWords, w));
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
    const r = rank(ship, query.text) * 4 + (ship.signal === "lost" ? 0 : 1) + (ship.group === "base" || ship.group === "aton" ? 0 : 2);
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
