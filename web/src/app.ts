// App is the state of the page and what changes it. The parts of the page are drawn from it (ui/), the map is told by it.
import { Refusal, send } from "./api";
import { Feeds, type Feed } from "./feeds";
import { read, write } from "./hash";
import { Live } from "./live";
import { Chart } from "./map/chart";
import { groups, type PaletteName } from "./palette";
import { placeOf, places, type Place } from "./places";
import { Picture, Shown, type RecordOfAPI } from "./picture";
import { best, classify, isKind, matches, type Query } from "./query";
import { title, type Ship } from "./ship";
import type { Order } from "./sort";
import { Selection, type Selected } from "./selection";
import { Shapes } from "./shapes/library";
import { flag, speak, t, type Language } from "./text/text";
import { loadTrack } from "./track";

export type TrackState = "none" | "loading" | "shown" | "empty" | "failed";

const own = "quaywatch"; // the state of a history entry that this page wrote

const keep = (key: string, value: string): void => {
  try {
    localStorage.setItem("quaywatch." + key, value);
  } catch {
    /* storage may be refused */
  }
};
const kept = (key: string): string | null => {
  try {
    return localStorage.getItem("quaywatch." + key);
  } catch {
    return null;
  }
};

/** Session is who is signed in, as GET /api/session tells it. */
export interface Session {
  name: string;
  rights: string[];
  mmsi_list?: number[]; // own ships
  start?: { bbox?: [number, number, number, number]; filter?: string }; // west, south, east, north; what is shown first, which hides nothing
  warn?: string; // expires_soon: the user ends at expiration_time
  expiration_time?: string;
}

/** Question is what a person has to say yes to before something happens that cannot be taken back. */
export interface Question {
  title: string;
  lines: string[];
  yes: string;
  bad?: boolean;
  answer: (yes: boolean) => void;
}

/** Notice is a short word about what was done, or why it was not. */
export interface Notice {
  text: string;
  bad: boolean;
  key: number;
}

export class App {
  readonly picture = new Picture();
  readonly feeds = new Feeds();
  readonly shapes = new Shapes(this);
  readonly selection = new Selection(this);
  chart?: Chart;

  stage: "start" | "signin" | "on" = "start";
  user = "";
  session: Session = { name: "", rights: [] };
  place: string[] = ["map"];
  question?: Question;
  notice?: Notice;
  /** The end of access that the user was warned of. */
  warned = "";
  /** What is being edited and not saved yet; leaving it is asked about. */
  unsaved = false;
  signInProblem = "";
  /** Whose session ended in the middle of an edit: the desk waits, unseen, for the same user to sign in again. */
  held = "";
  /** Grows with each desk that is given up, so that the next is a new one. */
  desk = 0;
  link: { up: boolean; retryAt: number; lost: boolean } = { up: false, retryAt: 0, lost: false };

  text = ""; // what stands in the search box
  query: Query = { kind: "none" };
  queryProblem?: Refusal;
  shown = 0; // ships that answer the query
  selected = 0;
  hover?: { ship: Ship; x: number; y: number };
  order: Order = { column: "distance", down: false };
  listOpen = kept("list") !== "no" && innerWidth >= 900;
  centre = { lon: 0, lat: 0, zoom: 2 };
  trackState: TrackState = "none";
  trackHours = 6;
  trackProblem = "";
  following = false;
  palette: PaletteName;
  language: Language;
  vectorMinutes: number;
  labels = kept("labels") !== "no";
  said = ""; // for the live region

  private readonly live: Live;
  private readonly subscribers = new Set<() => void>();
  private notifyTimer = 0;
  private fitted = false;
  private viewGiven = false;
  private liveFilter = "";
  private trackAbort?: AbortController;
  private addressTimer = 0;
  private distress = new Set<number>();

  constructor() {
    const address = read(location.hash);
    this.palette = document.documentElement.dataset.palette as PaletteName;
    const language = kept("language") ?? navigator.language.slice(0, 2);
    this.language = language === "de" ? "de" : "en";
    speak(this.language);
    this.picture.flag = flag;
    this.vectorMinutes = address.vectors ?? Number(kept("vectors") ?? 6);
    this.live = new Live({
      event: (name, data) => this.heard(name, data),
      up: (up, retryAt) => this.linked(up, retryAt),
      refused: (problem) => this.refused(problem),
    });
    addEventListener("hashchange", () => {
      this.addressSeen = location.hash;
      this.followAddress();
    });
    addEventListener("beforeunload", (e) => {
      if (this.unsaved) e.preventDefault();
    });
    setInterval(() => this.tick(), 1000);
    void this.begin();
  }

  // ---- telling the page ------------------------------------------------------------------------------------------

  subscribe(fn: () => void): () => void {
    this.subscribers.add(fn);
    return () => this.subscribers.delete(fn);
  }

  /** changed has the page drawn anew, once for all changes of a moment. */
  changed(): void {
    if (this.notifyTimer !== 0) return;
    this.notifyTimer = window.setTimeout(() => {
      this.notifyTimer = 0;
      for (const fn of this.subscribers) fn();
    }, 0);
  }

  say(text: string): void {
    this.said = text;
    this.changed();
  }

  private tick(): void {
    if (this.stage !== "on") return;
    if (this.following) this.follow();
    if (performance.now() - this.sessionAt > 60e3) void this.refreshSession();
    this.changed();
  }

  // ---- session ---------------------------------------------------------------------------------------------------

  private async begin(): Promise<void> {
    try {
      const who = await send<Partial<Session>>("GET", "session");
      if (who.name !== undefined) return this.enter(who as Session);
      this.stage = "signin"; // 204: nobody is signed in
      this.changed();
    } catch (problem) {
      this.stage = "signin";
      if (!(problem instanceof Refusal)) this.signInProblem = t("signin.unreachable");
      this.changed();
    }
  }

  async signIn(name: string, password: string): Promise<void> {
    this.signInProblem = "";
    try {
      this.enter(await send<Session>("POST", "session", { name, password }));
    } catch (problem) {
      const status = problem instanceof Refusal ? problem.status : 0;
      this.signInProblem = t(status === 429 ? "signin.many" : status === 0 || status >= 500 ? "signin.unreachable" : "signin.wrong");
      this.changed();
    }
  }

  /** signInAnew goes on with a new session after the own password was changed, which ended the old one. */
  async signInAnew(password: string): Promise<void> {
    this.live.stop(); // or it would tell that the session has ended
    await this.signIn(this.user, password);
    if (this.signInProblem !== "") this.leave(this.signInProblem);
  }

  async signOut(): Promise<void> {
    if (!(await this.mayLeave())) return;
    this.live.stop();
    await send("DELETE", "session").catch(() => undefined);
    this.leave("");
    this.moveTo(["map"]);
    history.replaceState(own, "", "#" + this.addressText());
    this.addressSeen = location.hash;
  }

  /** leave shows the sign-in again and says why. What is being edited is kept for when the same user comes back. */
  leave(why: string): void {
    this.live.stop();
    this.picture.replace([]);
    this.stage = "signin";
    this.signInProblem = why;
    this.selection.close();
    this.notice = undefined;
    if (this.unsaved) this.held = this.user;
    else this.clearDesk();
    this.answer(false);
  }

  private clearDesk(): void {
    this.held = "";
    this.desk++;
    this.chart = undefined;
    this.shapes.forget();
    this.fitted = false;
    this.selected = 0;
    this.trackState = "none";
    this.unsaved = false;
  }

  private enter(session: Session): void {
    const resumed = this.held !== "" && this.held === session.name;
    if (this.held !== "" && !resumed) this.clearDesk();
    this.held = "";
    this.take(session);
    this.user = session.name;
    this.stage = "on";
    if (resumed || this.chart) {
      // the desk is there already
      this.live.start(this.liveFilter);
      return this.changed();
    }
    const address = read(location.hash);
    this.place = address.place ?? ["map"];
    this.setText(address.query ?? (address.view ? "" : (session.start?.filter ?? "")));
    this.changed();
  }

  private take(session: Session): void {
    this.session = session;
    this.sessionAt = performance.now();
    if (this.chart) this.chart.painter.look.own = new Set(session.mmsi_list);
  }

  private sessionAt = 0;

  /** refreshSession asks again what the user may do: it can change while the page is open for a week. */
  async refreshSession(): Promise<void> {
    this.sessionAt = performance.now();
    try {
      const session = await send<Partial<Session>>("GET", "session");
      if (session.name === this.user) this.take(session as Session);
      this.changed();
    } catch {
      /* the live stream tells when the session has ended */
    }
  }

  // ---- places ----------------------------------------------------------------------------------------------------

  /** may tells whether the user has a right. The server decides; this only spares what it would refuse. */
  may(right: string): boolean {
    return this.session.rights.includes(right);
  }

  /** mayOpen tells whether a place is the user's to open. */
  mayOpen(place: Place): boolean {
    return place.kind === "map" || (this.user !== "" && (place.rights === undefined || place.rights.some((right) => this.may(right))));
  }

  /** open gives the place that is open. */
  get open(): Place {
    return placeOf(this.place[0]);
  }

  /** menu gives the places that the user may open. */
  get menu(): Place[] {
    return places.filter((place) => this.mayOpen(place));
  }

  /** go opens a place, as go("users", "alice"); it is false when the user stays because something is not saved. */
  async go(...place: string[]): Promise<boolean> {
    if (place.join("/") === this.place.join("/")) return true;
    if (!this.sameThing(place) && !(await this.mayLeave())) return false;
    this.moveTo(place);
    history.pushState(own, "", "#" + this.addressText());
    this.addressSeen = location.hash;
    void this.refreshSession();
    return true;
  }

  /** goInstead opens a place in the stead of the one that is open: going back does not lead to what was made or is gone. */
  goInstead(...place: string[]): void {
    this.unsaved = false;
    this.moveTo(place);
    history.replaceState(own, "", "#" + this.addressText());
    this.addressSeen = location.hash;
  }

  private moveTo(place: string[]): void {
    const other = placeOf(place[0]) !== this.open;
    this.place = place;
    if (other) document.title = this.open.kind === "map" ? t("app.title") : `${t("menu." + this.open.name)} · ${t("app.title")}`;
    this.hover = undefined;
    this.chart?.draw();
    this.changed();
  }

  // sameThing tells whether a place shows another side of what is open, so that nothing is lost by going there.
  private sameThing(place: string[]): boolean {
    return place.length > 1 && place[0] === this.place[0] && place[1] === this.place[1];
  }

  /** mayLeave asks whether what was edited may be lost, where there is such a thing. */
  private async mayLeave(): Promise<boolean> {
    if (this.unsaved && !(await this.ask({ title: t("ask.unsaved"), lines: [t("ask.unsavedMore")], yes: t("ask.discard"), bad: true })))
      return false;
    this.unsaved = false;
    return true;
  }

  /** ask puts a question in front of the page and gives the answer. */
  ask(question: Omit<Question, "answer">): Promise<boolean> {
    this.answer(false);
    return new Promise((answer) => {
      this.question = { ...question, answer };
      this.changed();
    });
  }

  /** answer gives the answer to the question that is open. */
  answer(yes: boolean): void {
    const question = this.question;
    this.question = undefined;
    question?.answer(yes);
    this.changed();
  }

  private noticeTimer = 0;

  /** tell shows a short notice: what was done for a few seconds, what went wrong until it is closed. */
  tell(text: string, bad = false): void {
    this.notice = text === "" ? undefined : { text, bad, key: performance.now() };
    clearTimeout(this.noticeTimer);
    if (!bad)
      this.noticeTimer = window.setTimeout(() => {
        this.notice = undefined;
        this.changed();
      }, 6000);
    this.changed();
  }

  // ---- the map ---------------------------------------------------------------------------------------------------

  /** attach makes the map in its element; it is called once the page shows it. */
  attach(target: HTMLElement): void {
    const address = read(location.hash);
    this.chart = new Chart(target, this.picture, {
      moved: (lon, lat, zoom) => {
        this.centre = { lon, lat, zoom };
        if (this.fitted) this.keepAddress();
        this.changed();
      },
      hovered: (ship, x, y) => this.hovered(ship, x, y),
      clicked: (ship, shape) => {
        if (ship) this.select(ship.mmsi);
        else if (shape && this.open.name === "shapes") void this.go("shapes", shape);
      },
    });
    Object.assign(this.chart.painter.look, {
      vectorMinutes: this.vectorMinutes,
      labels: this.labels,
      selected: this.selected,
      own: new Set(this.session.mmsi_list),
    });
    this.chart.dress(this.palette);
    this.viewGiven = address.view !== undefined;
    if (address.view) this.chart.show(address.view.lon, address.view.lat, address.view.zoom);
    else if (this.session.start?.bbox && !address.ship) {
      this.chart.showBox(this.session.start.bbox);
      this.viewGiven = true;
    }
    if (address.ship) this.selected = address.ship;
    if (address.hours) this.trackHours = address.hours;
    this.shapes.show();
    this.live.start(this.liveFilter);
  }

  private hovered(ship: Ship | undefined, x: number, y: number): void {
    if (!ship && !this.hover) return;
    const other = ship?.mmsi !== this.hover?.ship.mmsi;
    this.hover = ship && { ship, x, y };
    if (this.chart && other) {
      this.chart.painter.look.hovered = ship?.mmsi ?? 0;
      this.chart.draw();
    }
    this.changed();
  }

  private firstPicture(): void {
    if (this.fitted || !this.chart || this.picture.ships.size === 0) return;
    if (!this.viewGiven && !this.chart.fit(false)) return;
    this.fitted = true;
    if (this.selected) {
      const hours = read(location.hash).hours;
      this.select(this.selected, this.viewGiven ? "stay" : "go");
      if (hours) void this.showTrack(hours);
    }
    this.keepAddress();
  }

  // ---- the live stream -------------------------------------------------------------------------------------------

  private heard(name: string, data: unknown): void {
    if (name === "status") {
      this.feeds.tell(data as { time: string; feeds: Feed[] });
      return this.changed();
    }
    if (name === "select") return this.selection.hear(data as Selected);
    if (name !== "picture" && name !== "change") return;
    if (name === "picture") void this.shapes.load(); // at the start, and after the link was lost
    const message = data as { time?: string; records?: RecordOfAPI[]; gone?: number[] };
    this.picture.tell(message.time);
    if (name === "picture") this.picture.replace(message.records ?? []);
    else this.picture.change(message.records ?? [], message.gone ?? []);
    this.applyQuery();
    this.lengthenTrack();
    this.announceDistress();
    this.firstPicture();
    if (this.fitting && name === "picture") {
      this.fitting = false;
      this.chart?.fit(true);
    }
    if (this.open.kind !== "page") this.chart?.draw();
    this.changed();
  }

  private linked(up: boolean, retryAt: number): void {
    if (up && this.link.lost) this.say(t("say.up", { n: this.picture.ships.size }));
    if (!up && !this.link.lost) this.say(t("say.down"));
    this.link = { up, retryAt, lost: !up };
    if (up) this.chart?.mend();
    this.changed();
  }

  retryNow(): void {
    this.live.retryNow();
  }

  private refused(problem: Refusal): void {
    if (problem.status === 401) return this.leave(t("signin.ended"));
    this.queryProblem = problem;
    this.link = { up: false, retryAt: 0, lost: false };
    this.say(this.queryText());
    this.live.start((this.liveFilter = "")); // the whole picture goes on beside the message
  }

  private announceDistress(): void {
    const { group, flags, top, bySlot } = this.picture,
      wanted = groups.indexOf("distress");
    for (let i = 0; i < top; i++) {
      const ship = group[i] === wanted && flags[i] !== 0 ? bySlot[i] : undefined;
      if (!ship || this.distress.has(ship.mmsi)) continue;
      this.distress.add(ship.mmsi);
      this.say(t("say.distress", { name: title(ship) }));
    }
  }

  // ---- search and filter -----------------------------------------------------------------------------------------

  /** queryText says what the filter does, or what is wrong with it. */
  queryText(): string {
    if (this.queryProblem) {
      return this.queryProblem.code === "filter_syntax" && this.queryProblem.offset !== undefined
        ? t("search.error", { at: this.queryProblem.offset + 1, detail: this.queryProblem.message })
        : this.queryProblem.message;
    }
    if (this.query.kind === "none") return "";
    return this.shown === 1 ? t("search.count.one") : this.shown === 0 ? t("search.none") : t("search.count", { n: this.shown });
  }

  private filterTimer = 0;
  private sayTimer = 0;
  private sifted = false; // some ships are not shown, because words filter them

  /** setText takes what was typed. Words filter at once; an expression goes to the server when the typing rests. */
  setText(text: string, now = false): void {
    this.text = text;
    this.query = classify(text);
    this.queryProblem = undefined;
    const filter = this.query.kind === "filter" ? this.query.text : "";
    clearTimeout(this.filterTimer);
    if (filter !== this.liveFilter) {
      const restart = (): void => {
        this.liveFilter = filter;
        if (this.chart) this.live.start(filter);
      };
      if (filter === "" || now || !this.chart) restart();
      else this.filterTimer = window.setTimeout(restart, 400);
    }
    this.applyQuery();
    clearTimeout(this.sayTimer);
    this.sayTimer = window.setTimeout(() => this.say(this.queryText()), 700);
    this.chart?.draw();
    this.keepAddress();
    this.changed();
  }

  private applyQuery(): void {
    const p = this.picture;
    if (this.query.kind !== "words") {
      if (this.sifted) for (const ship of p.ships.values()) p.flags[ship.slot] |= Shown;
      this.sifted = false;
      this.shown = p.ships.size;
      return;
    }
    this.sifted = true;
    let n = 0;
    for (const ship of p.ships.values()) {
      const shown = matches(ship, this.query);
      if (shown) {
        p.flags[ship.slot] |= Shown;
        n++;
      } else p.flags[ship.slot] &= ~Shown;
    }
    this.shown = n;
  }

  /** suggestions are the ships that the words may mean. */
  suggestions(limit: number): Ship[] {
    return best(this.picture.ships.values(), this.query, limit);
  }

  private fitting = false; // the next picture is shown as a whole

  /** showFilter filters by an expression and shows all that it lets pass. */
  showFilter(text: string): void {
    if (this.open.kind === "page") void this.go("map");
    this.fitting = true;
    this.setText(text, true);
  }

  /** enter goes to the ship that was meant; a word for a kind, or an expression, keeps filtering and shows what it found. */
  enterQuery(chosen?: Ship): void {
    if (this.open.kind === "page") void this.go("map");
    if (this.query.kind === "filter") return this.setText(this.text, true);
    const ship = chosen ?? (isKind(this.query) ? undefined : this.suggestions(1)[0]);
    if (ship) {
      this.setText("");
      this.select(ship.mmsi, "go");
    } else if (this.shown > 0) this.chart?.fit(true);
    this.say(ship ? t("say.selected", { name: title(ship) }) : this.queryText());
  }

  isShown(ship: Ship): boolean {
    return (this.picture.flags[ship.slot] & Shown) !== 0;
  }

  // ---- the selected ship -----------------------------------------------------------------------------------------

  get ship(): Ship | undefined {
    return this.picture.ships.get(this.selected);
  }

  /** select opens the card of a ship; move says whether the map goes to her, moves only if she would be hidden, or stays. */
  select(mmsi: number, move: "go" | "uncover" | "stay" = "uncover"): void {
    if (mmsi !== this.selected) this.hideTrack();
    this.selected = mmsi;
    this.following = false;
    const ship = this.ship;
    if (this.chart) {
      this.chart.painter.look.selected = mmsi;
      const cover = innerWidth >= 900 ? 350 : 0;
      if (ship && move === "go") this.chart.go(ship, true, cover);
      else if (ship && cover && move === "uncover") this.chart.uncover(ship, cover);
      this.chart.draw();
    }
    if (ship) this.say(t("say.selected", { name: title(ship) }));
    this.keepAddress();
    this.changed();
  }

  close(): void {
    if (this.selected === 0) return;
    this.hideTrack();
    this.selected = 0;
    this.following = false;
    if (this.chart) {
      this.chart.painter.look.selected = 0;
      this.chart.draw();
    }
    this.keepAddress();
    this.changed();
  }

  /** toggleFollow keeps the selected ship in the middle, or no longer. */
  toggleFollow(): void {
    this.following = !this.following;
    this.follow();
    this.changed();
  }

  private follow(): void {
    if (this.following && this.ship) this.chart?.go(this.ship, false, innerWidth >= 900 ? 350 : 0);
  }

  /** showTrack draws the way of the last hours. */
  async showTrack(hours: number): Promise<void> {
    const mmsi = this.selected;
    this.trackAbort?.abort();
    const abort = (this.trackAbort = new AbortController());
    this.trackHours = hours;
    this.trackState = "loading";
    this.changed();
    try {
      const track = await loadTrack(mmsi, hours, this.picture.now(), abort.signal);
      if (abort.signal.aborted || mmsi !== this.selected || !this.chart) return;
      this.trackState = track.count > 0 ? "shown" : "empty";
      this.chart.painter.track = track.count > 0 ? track : undefined;
      this.lengthenTrack();
      this.chart.draw();
    } catch (problem) {
      if (abort.signal.aborted) return;
      this.trackState = "failed";
      this.trackProblem = (problem as Error).message;
    }
    this.keepAddress();
    this.changed();
  }

  hideTrack(): void {
    this.trackAbort?.abort();
    this.trackState = "none";
    if (this.chart?.painter.track) {
      this.chart.painter.track = undefined;
      this.chart.draw();
    }
    this.keepAddress();
    this.changed();
  }

  private lengthenTrack(): void {
    const track = this.chart?.painter.track,
      ship = this.ship;
    if (!track || !ship || ship.lon === undefined || ship.lat === undefined || !ship.fixTime) return;
    track.append(ship.lon, ship.lat, ship.fixTime, ship.sog);
  }

  // ---- settings --------------------------------------------------------------------------------------------------

  setPalette(name: PaletteName): void {
    this.palette = name;
    document.documentElement.dataset.palette = name;
    document.documentElement.style.backgroundColor = ""; // public/palette.js set it for the first paint
    keep("palette", name);
    this.chart?.dress(name);
    this.chart?.draw();
    this.keepAddress();
    this.changed();
  }

  setLanguage(code: Language): void {
    this.language = code;
    keep("language", code);
    speak(code);
    this.picture.retext();
    this.applyQuery();
    this.changed();
  }

  setVectors(minutes: number): void {
    this.vectorMinutes = minutes;
    keep("vectors", String(minutes));
    if (this.chart) this.chart.painter.look.vectorMinutes = minutes;
    this.chart?.draw();
    this.keepAddress();
    this.changed();
  }

  setLabels(on: boolean): void {
    this.labels = on;
    keep("labels", on ? "yes" : "no");
    if (this.chart) this.chart.painter.look.labels = on;
    this.chart?.draw();
    this.changed();
  }

  setList(open: boolean): void {
    this.listOpen = open;
    if (innerWidth >= 900) keep("list", open ? "yes" : "no");
    this.changed();
  }

  // ---- the address -----------------------------------------------------------------------------------------------

  private keepAddress(): void {
    if (!this.fitted) return;
    clearTimeout(this.addressTimer);
    this.addressTimer = window.setTimeout(() => {
      const text = this.addressText();
      if (location.hash !== this.addressSeen || "#" + text === location.hash) return; // an address was typed that we have yet to follow
      history.replaceState(own, "", "#" + text);
      this.addressSeen = location.hash;
    }, 250);
  }

  private addressSeen = location.hash;

  private addressText(): string {
    const given = this.fitted ? {} : read(location.hash); // before the first picture the address knows better
    return write({
      view: this.fitted ? this.centre : given.view,
      ship: this.selected || given.ship,
      query: this.text || undefined,
      palette: this.palette,
      hours: this.trackState === "shown" ? this.trackHours : given.hours,
      vectors: this.vectorMinutes,
      place: this.open.kind === "map" ? undefined : this.place,
    });
  }

  // An address that somebody typed is followed in all; going back and forth among our own moves between places alone, and
  // leaves map and palette as they are now.
  private followAddress(): void {
    const address = read(location.hash);
    void this.followPlace(address.place ?? ["map"]);
    if (history.state === own) return this.keepAddress();
    if (address.palette && address.palette !== this.palette) this.setPalette(address.palette);
    if (address.vectors !== undefined) this.setVectors(address.vectors);
    if ((address.query ?? "") !== this.text) this.setText(address.query ?? "");
    if (address.view) {
      this.viewGiven = true; // the first picture, should it still be on its way, must not move it
      this.chart?.show(address.view.lon, address.view.lat, address.view.zoom);
    }
    if (address.ship) this.select(address.ship, address.view ? "stay" : "go");
    else this.close();
    if (address.hours && address.ship) void this.showTrack(address.hours);
  }

  private async followPlace(place: string[]): Promise<void> {
    if (place.join("/") === this.place.join("/")) return;
    const was = this.place;
    if (!this.unsaved || this.sameThing(place)) return this.moveTo(place);
    history.pushState(own, "", "#" + this.addressText()); // stay while the question stands
    this.addressSeen = location.hash;
    if ((await this.mayLeave()) && this.place === was) await this.go(...place);
  }
}
