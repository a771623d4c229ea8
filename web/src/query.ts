// The one search box. A query of words alone, also joined by and, or, not, commas and brackets, is matched here at once. The server
// evaluates anything else. Both read words in the same way: ship/testdata/sentences.json of the server holds both to it.
import { plain } from "./letters";
import { mmsiText, type Ship } from "./ship";
import { holds, meaningOf, most } from "./words";

/** Words is a query that is matched here. */
export interface Words {
  kind: "words";
  /** text is what was typed, in the form in which names are compared. */
  text: string;
  match: (ship: Ship) => boolean;
  /** terms are what is looked for in names and numbers. */
  terms: string[];
  /** name is what may be the name of a ship: all that was typed, unless it is joined. */
  name: string;
  /** closed is true of words that all mean themselves. */
  closed: boolean;
}

/** Query is what stands in the search box. */
export type Query = { kind: "none" } | Words | { kind: "filter"; text: string };

/** classify tells words from an expression that the server has to read. */
export function classify(text: string): Query {
  const trimmed = text.trim();
  if (trimmed === "") return { kind: "none" };
  const tokens = tokensOf(trimmed);
  const words = tokens && new Reader(tokens).read(plain(trimmed));
  return words ?? { kind: "filter", text: trimmed };
}

interface Token {
  text: string;
  kind: "word" | "number" | "quoted" | "sign";
}

const pieces = /\s+|"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'|([\p{L}\p{Nd}_*?][\p{L}\p{Nd}_*?/-]*)|(&&|\|\||[!&|(),])|([^])/gsu;

// tokensOf cuts a text; undefined when it has a sign of an expression, or a wildcard.
function tokensOf(text: string): Token[] | undefined {
  const list: Token[] = [];
  for (const [, double, single, word, sign, other] of text.matchAll(pieces)) {
    if (other !== undefined) return undefined;
    const quoted = double ?? single;
    if (quoted !== undefined) list.push({ kind: "quoted", text: quoted });
    else if (word !== undefined) {
      const fahrt = list.at(-1);
      if (/^fahrt$/i.test(word) && fahrt?.kind === "word" && /^in$/i.test(fahrt.text)) fahrt.text = "in fahrt";
      else list.push({ kind: /^[0-9]+$/.test(word) ? "number" : "word", text: word });
    } else if (sign !== undefined) list.push({ kind: "sign", text: sign });
  }
  return list.some((t) => t.kind !== "sign" && /[*?\\]/.test(t.text)) ? undefined : list;
}

const reserved = new Set(["and", "or", "not", "in", "like", "is", "null", "within", "circle", "bbox", "shape"]);
const deepest = 32;

// Words that compare, where a number follows: "speed over 10", "mehr als 150 m". What is a name all the same, the server knows.
const comparing = /^(?:over|above|under|below|than|least|most|über|ueber|unter|als|mindestens|höchstens|hoechstens)$/i;

const compares = (run: Token[]): boolean =>
  run.some((t, i) => t.kind === "word" && comparing.test(t.text) && /^[0-9]/.test(run[i + 1]?.text ?? ""));

type Match = (ship: Ship) => boolean;

// Reader reads tokens as the server's parser does; it gives up at what only the server reads.
class Reader {
  private next = 0;
  private depth = 0;
  private runs = 0;
  private joined = false;
  private closed = true;
  private name = "";
  private readonly terms: string[] = [];

  constructor(private readonly tokens: Token[]) {}

  /** read returns the whole query. */
  read(text: string): Words | undefined {
    const match = this.or();
    if (!match || this.next < this.tokens.length) return undefined;
    const { terms, closed } = this;
    return { kind: "words", text, match, terms, closed, name: this.runs === 1 && !this.joined ? this.name : "" };
  }

  private is(what: string, at = this.next): boolean {
    const t = this.tokens[at];
    return t !== undefined && (t.kind === "sign" || t.kind === "word") && t.text.toLowerCase() === what;
  }

  private isValue(at: number): boolean {
    const t = this.tokens[at];
    return t !== undefined && t.kind !== "sign" && !(t.kind === "word" && reserved.has(t.text.toLowerCase()));
  }

  private isGerman(word: string): boolean {
    const at = this.next + 1;
    return this.is(word) && (this.isValue(at) || this.is("not", at) || this.is("(", at) || this.is("!", at));
  }

  private accept(signs: string[], german = ""): boolean {
    if (!signs.some((sign) => this.is(sign)) && !this.isGerman(german)) return false;
    this.next++;
    return (this.joined = true);
  }

  private or(): Match | undefined {
    return this.list(
      () => this.and(),
      () => this.accept(["or", "|", "||"], "oder"),
      (all) => (ship) => all.some((match) => match(ship)),
    );
  }

  private and(): Match | undefined {
    return this.list(
      () => this.not(),
      () => this.accept(["and", "&", "&&", ","], "und") || this.is("not") || this.isGerman("nicht"),
      allOf,
    );
  }

  private list(part: () => Match | undefined, more: () => boolean, join: (all: Match[]) => Match): Match | undefined {
    const all: Match[] = [];
    do {
      const match = part();
      if (!match) return undefined;
      all.push(match);
    } while (more());
    return all.length === 1 ? all[0] : join(all);
  }

  private not(): Match | undefined {
    if (++this.depth > deepest) return undefined;
    const match = this.accept(["not", "!"], "nicht") ? negated(this.not()) : this.primary();
    this.depth--;
    return match;
  }

  private primary(): Match | undefined {
    if (!this.accept(["("])) return this.run();
    const match = this.or();
    return match && this.accept([")"]) ? match : undefined;
  }

  private run(): Match | undefined {
    const first = this.next;
    while (this.isValue(this.next) && (this.next === first || !["und", "oder", "nicht"].some((word) => this.isGerman(word)))) this.next++;
    const run = this.tokens.slice(first, this.next);
    if (run.length === 0 || ["in", "like", "is", "within"].some((word) => this.is(word))) return undefined;
    if (this.is("not") && ["in", "like", "within"].some((word) => this.is(word, this.next + 1))) return undefined;
    if (compares(run) || asksServer(run)) return undefined;
    this.runs++;
    this.name = plain(run.map((t) => t.text).join(" "));
    return this.meant(run);
  }

  private meant(run: Token[]): Match {
    const each: Match[] = [];
    const others: Token[][] = [[]];
    let closed = 0;
    for (let at = 0; at < run.length; ) {
      const [meaning, count] = meaningAt(run, at);
      if (meaning) {
        each.push((ship) => holds(meaning, ship));
        others.push([]);
        closed += count;
      } else others.at(-1)!.push(run[at]);
      at += count;
    }
    this.closed &&= closed === run.length;
    if (closed === run.length) return allOf(each);
    const terms = others.filter((words) => words.length > 0);
    this.terms.push(...terms.map(phrase));
    const whole = term(run);
    if (closed === 0) return whole;
    const split = allOf([...each, ...terms.map(term)]);
    return (ship) => whole(ship) || split(ship);
  }
}

const allOf =
  (all: Match[]): Match =>
  (ship) =>
    all.every((match) => match(ship));

const negated = (match: Match | undefined): Match | undefined => match && ((ship) => !match(ship));

function meaningAt(run: Token[], at: number) {
  let end = at;
  while (end < run.length && end - at < most && run[end].kind === "word") end++;
  for (; end > at; end--) {
    const meaning = meaningOf(plain(phrase(run.slice(at, end))));
    if (meaning) return [meaning, end - at] as const;
  }
  return [undefined, 1] as const;
}

// asksServer tells whether one of the words says what only the server knows, as "in port" or "to Aarhus".
const asksServer = (run: Token[]): boolean =>
  run.some((_, at) => {
    const [meaning, count] = meaningAt(run, at);
    return meaning?.server === true && (!meaning.before || at + count < run.length);
  });

const phrase = (words: Token[]): string => words.map((t) => t.text).join(" ");

// term looks for words in names and numbers. The blanks and '@' around them do not count.
function term(words: Token[]): Match {
  const text = plain(
    phrase(words)
      .replace(/[@ ]+$/, "")
      .trim(),
  );
  return (ship) => text !== "" && ship.text.includes(text);
}

/** matches tells whether a ship answers the query; the server judges an expression. */
export const matches = (ship: Ship, query: Query): boolean => query.kind !== "words" || query.match(ship);

/** isKind tells whether Enter keeps the filter and goes nowhere: the words mean themselves, or are joined. */
export const isKind = (query: Query): boolean => query.kind === "words" && (query.closed || query.name === "");

const station = (ship: Ship): boolean => ship.group === "base" || ship.group === "aton";

/** rank orders the answers to a name: the ship of that name, then names with it as whole words, then the rest; higher is better. */
export function rank(ship: Ship, text: string): number {
  const name = plain(ship.name ?? "");
  const numbers = [mmsiText(ship.mmsi), String(ship.mmsi)];
  if ([name, ...numbers, String(ship.imo ?? ""), plain(ship.callsign ?? "")].includes(text)) return 5;
  if (` ${name} `.includes(` ${text} `)) return 4;
  if ([name, ...numbers].some((word) => word.startsWith(text))) return 3;
  if (name.includes(text)) return 2;
  return ship.text.includes(text) ? 1 : 0;
}

/** best gives up to limit ships that answer the words or have them in their name, best first; ships before stations, live before lost. */
export function best(ships: Iterable<Ship>, query: Query, limit: number): Ship[] {
  if (query.kind !== "words") return [];
  const { name, match } = query;
  const found: { ship: Ship; rank: number }[] = [];
  for (const ship of ships) {
    if (!match(ship) && (name === "" || !ship.text.includes(name))) continue;
    const r = (name === "" ? 0 : rank(ship, name)) * 4 + (ship.signal === "lost" ? 0 : 1) + (station(ship) ? 0 : 2);
    found.push({ ship, rank: r });
  }
  found.sort((a, b) => b.rank - a.rank || (a.ship.name ?? "~").localeCompare(b.ship.name ?? "~") || a.ship.mmsi - b.ship.mmsi);
  return found.slice(0, limit).map((f) => f.ship);
}

/** searchText is the text of a ship that terms are looked up in: name, call sign, MMSI and IMO number. */
export const searchText = (s: Partial<Ship> & { mmsi: number }): string =>
  [s.name, s.callsign, mmsiText(s.mmsi), s.imo && String(s.imo).padStart(7, "0")]
    .filter((part) => part !== undefined && part !== "" && part !== 0)
    .map((part) => plain(String(part)))
    .join("\n");
