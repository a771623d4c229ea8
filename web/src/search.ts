// Search is the one box that finds ships and filters map and list. Words filter here, an expression filters at the server.
import type { Refusal } from "./api";
import type { Desk } from "./desk";
import type { Live } from "./live";
import type { Navigation } from "./navigation";
import { searchStore } from "./left";
import { nearest, unknownTerms } from "./nearest";
import { Placed, Shown } from "./picture";
import { best, classify, isKind, matches, type Query } from "./query";
import type { Selection } from "./selection";
import { title, type Ship } from "./ship";
import { number, t, told } from "./text/text";
import { whyOf } from "./why";

const typing = 400; // milliseconds of rest before an expression goes to the server
const speaking = 700; // and before the result is read aloud
const resting = 250; // and before the store is asked for ships that left
const mostOffers = 3;
const mostLeft = 20; // ships that it is asked for

/** Read is how the server reads what was typed, condition by condition. */
export interface Read {
  text: string;
  count: number;
  without(at: number, open: boolean): Read;
}

export class Search {
  text = "";
  query: Query = { kind: "none" };
  problem?: Refusal;
  reading?: Read;
  /** shown counts the ships that answer the query. */
  shown = 0;
  private sifted = false; // words filter, and some ships may be hidden by them
  private fitting = false; // the next picture is shown as a whole
  private filterTimer = 0;
  private spoken = ""; // what was said of the words last
  private sayTimer = 0;
  private odd: { key: string; unknown: string[]; offers: string[] } = { key: "", unknown: [], offers: [] };
  private leftTimer = 0;
  /** left are the ships that the store found for a text, and the picture lacks. */
  left: { text: string; ships: Ship[] } = { text: "", ships: [] };
  private asking?: { text: string; abort: AbortController; answer: Promise<void> };

  constructor(
    private readonly desk: Desk,
    private readonly live: Live,
    private readonly navigation: Navigation,
    private readonly selection: Selection,
  ) {}

  /** result says what the filter does, or what is wrong with it. */
  result(): string {
    const { problem, query, shown } = this;
    if (problem)
      return problem.code === "filter_syntax" && problem.offset !== undefined
        ? t("search.error", { detail: told(problem.said) })
        : whyOf(problem);
    if (query.kind === "none") return "";
    const all = number(this.all());
    const count =
      shown === 1 ? t("search.count.one", { all }) : shown === 0 ? t("search.none", { all }) : t("search.count", { n: number(shown), all });
    return [...this.strange().unknown.map((name) => t("search.called", { name })), count].join(" ");
  }

  /** all counts the ships that there are without a filter. */
  all(): number {
    const here = this.desk.picture.ships.size;
    return this.live.filter === "" ? here : Math.max(here, this.desk.feeds.ships);
  }

  /** offers returns whole queries that the user may have meant instead of a word that no ship is called by. */
  offers(): string[] {
    return this.strange().offers;
  }

  // strange returns the terms that no ship has, and what to type instead; it is worked out once for a text and a picture of this size.
  private strange(): { unknown: string[]; offers: string[] } {
    const { query, text } = this;
    if (query.kind !== "words" || query.terms.length === 0) return { unknown: [], offers: [] };
    const { ships } = this.desk.picture;
    const key = `${ships.size} ${this.shown} ${text}`;
    if (this.odd.key === key) return this.odd;
    const unknown = unknownTerms(query.terms, ships.values());
    const [first] = unknown;
    const offers =
      first === undefined ? [] : nearest(first, ships.values(), mostOffers).map((offer) => text.trim().replace(first, () => offer));
    this.odd = { key, unknown, offers };
    return this.odd;
  }

  /** setText takes what was typed. Words filter at once; an expression goes to the server when the typing rests. */
  setText(text: string, now = false): void {
    this.text = text;
    this.query = classify(text);
    this.problem = undefined;
    const filter = this.query.kind === "filter" ? this.query.text : "";
    clearTimeout(this.filterTimer);
    if (filter !== this.live.filter) {
      const restart = (): void => {
        this.live.filter = filter;
        if (this.desk.chart) this.live.start();
      };
      if (filter === "" || now || !this.desk.chart) restart();
      else this.filterTimer = window.setTimeout(restart, typing);
    }
    this.sift();
    clearTimeout(this.leftTimer);
    this.leftTimer = window.setTimeout(() => void this.askStore(), resting);
    clearTimeout(this.sayTimer);
    this.sayTimer = window.setTimeout(() => this.speak(), speaking);
    this.desk.chart?.draw();
    this.desk.changed();
  }

  // speak says the result. An empty box takes back its own words, and no others.
  private speak(): void {
    const text = this.result();
    if (text !== "" || this.desk.said === this.spoken) this.desk.say(text);
    this.spoken = text;
  }

  /** refuse takes the server's answer to an expression that it cannot read; the whole picture goes on beside it. */
  refuse(problem: Refusal): void {
    this.problem = problem;
    this.desk.say(this.result());
    this.live.filter = "";
    this.live.start();
  }

  /** sift shows and hides ships by the words. */
  sift(): void {
    const { picture } = this.desk;
    const words = this.query.kind === "words";
    this.shown = picture.ships.size;
    if (!words && !this.sifted) return;
    this.sifted = words;
    for (const ship of picture.ships.values()) {
      if (matches(ship, this.query)) picture.flags[ship.slot] |= Shown;
      else {
        picture.flags[ship.slot] &= ~Shown;
        this.shown--;
      }
    }
  }

  /** pictured takes a whole new picture; it is shown as a whole where showFilter asked for that. */
  pictured(): void {
    if (this.fitting) this.desk.chart?.fit(true);
    this.fitting = false;
  }

  /** isShown tells whether a ship answers the query. */
  isShown(ship: Ship): boolean {
    return (this.desk.picture.flags[ship.slot] & Shown) !== 0;
  }

  /** elsewhere tells that ships answer the query and that the map shows none of them. */
  get elsewhere(): boolean {
    const { query, problem, live, desk } = this;
    const asked = query.kind === "words" || (query.kind === "filter" && live.filter === query.text);
    return asked && !problem && this.shown > 0 && desk.chart?.screen !== undefined && desk.chart.painter.count === 0;
  }

  /** placed tells whether a ship that answers the query has a place. */
  placed(): boolean {
    const { flags, top } = this.desk.picture;
    return flags.subarray(0, top).some((flag) => (flag & (Placed | Shown)) === (Placed | Shown));
  }

  /** suggestions returns the ships that the words may mean: those of the picture, then as many as half of them that left it. */
  suggestions(limit: number): Ship[] {
    const here = best(this.desk.picture.ships.values(), this.query, limit);
    const { ships } = this.desk.picture;
    const gone =
      this.query.kind === "words" && this.left.text === this.query.name.trim()
        ? this.left.ships.filter((ship) => !ships.has(ship.mmsi))
        : [];
    return [...here, ...gone.slice(0, Math.max(limit - here.length, limit / 2))];
  }

  // askStore asks for the ships that the words may mean and the picture does not have.
  private async askStore(): Promise<void> {
    const text = this.query.kind === "words" ? this.query.name.trim() : "";
    if (text === this.asking?.text) return this.asking.answer;
    this.asking?.abort.abort();
    if (text.length < 2) return void (this.asking = undefined);
    const abort = new AbortController();
    const ask = async (): Promise<void> => {
      try {
        const ships = await searchStore(text, mostLeft, abort.signal);
        this.left = { text, ships };
      } catch {
        if (this.asking?.abort === abort) this.asking = undefined; // the live ships are found all the same, and the next try asks again
      }
      this.desk.changed();
    };
    this.asking = { text, abort, answer: ask() };
    return this.asking.answer;
  }

  /** showFilter filters by an expression and shows all that it lets pass. */
  showFilter(text: string): void {
    this.navigation.showMap();
    this.fitting = true;
    this.setText(text, true);
  }

  /** enter goes to the ship that was meant; a word for a kind, or an expression, keeps filtering and shows what it found. */
  enter(chosen?: Ship): void {
    this.navigation.showMap();
    if (this.query.kind === "filter") return this.setText(this.text, true);
    const ship = chosen ?? (isKind(this.query) ? undefined : this.suggestions(1)[0]);
    if (ship) return this.meet(ship);
    if (this.shown > 0) this.desk.chart?.fit(true);
    else void this.enterLeft(this.text);
    this.desk.say(this.result());
  }

  // enterLeft goes to the ship that left and was meant, once the store has answered.
  private async enterLeft(text: string): Promise<void> {
    await this.askStore();
    const ship = this.suggestions(1)[0];
    if (ship && this.text === text) this.meet(ship);
  }

  private meet(ship: Ship): void {
    this.setText("");
    this.selection.select(ship.mmsi, "go");
    this.desk.say(t("say.selected", { name: title(ship) }));
  }
}
