// App is the whole state of the page: it makes the parts, brings them together, and hands on what the map and the server tell.
import { reached, type Refusal } from "./api";
import type { Alarms, LiveAlerts, LiveEvents, LiveMessages, LiveSelect, LiveStatus, LiveTrack, Notice } from "./contract";
import { Desk } from "./desk";
import { Alerts } from "./alerts/alerts";
import { Distress } from "./distress/distress";
import { Encryption } from "./encryption";
import { Following } from "./follow";
import { read, type Address } from "./hash";
import type { InPort } from "./inport";
import { Live } from "./live";
import { cover } from "./cover";
import type { Ruler } from "./map/ruler";
import { Chart } from "./map/chart";
import type { Widening } from "./map/widening";
import { Messages } from "./messages/messages";
import { Navigation } from "./navigation";
import { portOf } from "./map/harbours";
import type { RecordOfAPI } from "./picture";
import { Ports } from "./ports";
import { ShowRequest } from "./request";
import { Planner } from "./planner/planner";
import { Search } from "./search";
import { Selection } from "./selection";
import { Session } from "./session";
import { Settings } from "./settings";
import { Shapes } from "./shapes/library";
import type { Ship } from "./ship";
import { t, type Language } from "./text/text";
import { TrackedShip } from "./tracked/tracked";
import { mostTracks, Tracks } from "./tracks";
import { Events } from "./watchdogs/events";
import { Watchdogs } from "./watchdogs/watchdogs";

/** Props are what the component of a place is drawn from: path is what of the place is open, as ["alice"] of the users. */
export interface Props {
  app: App;
  path: string[];
}

const few = 20; // ships: a picture with fewer is taken to be still coming in

export class App extends Desk {
  readonly live = new Live({
    event: (name, data) => this.heard(name, data),
    up: (up, retryAt) => this.linked(up, retryAt),
    refused: (problem) => this.refused(problem),
  });
  readonly settings = new Settings(this, read(location.hash));
  readonly session = new Session(this, this.live, {
    entered: () => this.entered(),
    left: () => {
      this.request.close();
      this.distress.clear();
      this.messages.clear();
      this.events.clear();
      this.alerts.clear();
    },
    cleared: () => this.cleared(),
  });
  readonly navigation = new Navigation(this, this.session, {
    state: () => this.state(),
    drifting: () => this.following.mmsi !== 0,
    held: () => this.planner.held >= 0,
    follow: (address, whole) => this.follow(address, whole),
  });
  readonly tracks = new Tracks(this);
  readonly following = new Following(this);
  readonly selection = new Selection(this, this.tracks, this.following);
  readonly search = new Search(this, this.live, this.navigation, this.selection);
  readonly request = new ShowRequest(this, this.navigation, this.selection, this.following);
  readonly shapes = new Shapes(this, this.session);
  readonly ports = new Ports(this, this.session);
  readonly distress = new Distress(this, this.navigation, this.selection, () => this.alerts.rest);
  readonly messages = new Messages(this);
  readonly watchdogs = new Watchdogs(this, this.session, this.shapes, () => this.events.all[0]?.id ?? 0);
  readonly alerts = new Alerts(this, this.session);
  readonly events = new Events(this, this.session, this.navigation, this.selection, this.tracks);
  readonly planner = new Planner(this, () => (this.selection.mmsi === 0 ? 0 : cover()));
  readonly tracked = new TrackedShip(this, this.session, () => this.selection.ship);
  readonly encryption = new Encryption(() => this.changed());

  /** inPort is there once the list has shown ports. */
  inPort?: InPort;
  /** ruler is there once it was taken for the first time. */
  ruler?: Ruler;

  /** sitting grows with each desk that is given up, so that the next is a new one. */
  sitting = 0;
  private rulerTimer = 0;
  private widening?: Widening;
  /** wall is what the address asks of the wall display: the view that it keeps, and for how many seconds it shows one thing. */
  wall: Pick<Address, "view" | "every"> = {};
  link: { up: boolean; retryAt: number; lost: boolean } = { up: false, retryAt: 0, lost: false };
  /** stored is there while the map shows the last places of the store, since no feed is set up: the newest report, and whether the user knows. */
  stored?: { newest: number; read: boolean };
  /** boxNotices are what an operator must know of the box; none for other users. */
  boxNotices: Notice[] = [];

  constructor() {
    super();
    setInterval(() => this.tick(), 1000);
    void this.session.begin();
    void this.encryption.look();
  }

  private tick(): void {
    if (this.session.stage !== "on") return;
    this.selection.look();
    this.tracked.tick();
    this.following.tick();
    this.distress.tick();
    this.events.tick();
    this.alerts.tick();
    if (this.link.up && this.planner.begun) this.firstPicture(); // a plan is kept in the address also while no ship is heard
    this.session.grow();
    this.changed();
  }

  /** measuring is true while the ruler has the pointer. */
  get measuring(): boolean {
    return this.ruler !== undefined && this.chart?.tool === this.ruler;
  }

  /** measure takes the ruler, from the selected ship on where there is one, or puts it away. */
  async measure(on = !this.measuring): Promise<void> {
    if (!this.ruler) {
      const part = await import("./map/ruler").catch(() => undefined); // the link is down; the next try asks again
      if (!part) return;
      this.ruler ??= new part.Ruler(
        (mmsi) => this.picture.ships.get(mmsi),
        () => this.measured(),
      );
    }
    if (!this.chart || this.chart.pen) return; // what is being drawn has the pointer
    this.chart.hold(on ? this.ruler : undefined);
    this.ruler.begin(on ? this.selection.mmsi : 0);
    this.say(on ? "" : t("ruler.ended"));
  }

  // measured draws what is measured at once, and has its figures told ten times a second at most.
  private measured(): void {
    this.chart?.redraw();
    if (this.rulerTimer !== 0) return;
    this.rulerTimer = window.setTimeout(() => {
      this.rulerTimer = 0;
      this.changed();
    }, 100);
  }

  /** lookInPort asks in which ports the ships are, when what is known of that is old. */
  async lookInPort(): Promise<void> {
    if (!this.inPort) {
      const part = await import("./inport").catch(() => undefined); // the link is down; the next look asks again
      if (!part) return;
      this.inPort ??= new part.InPort(part.loadInPort, () => this.changed());
    }
    this.inPort.look(performance.now());
  }

  /** setLanguage has the page speak another language. */
  setLanguage(code: Language): Promise<void> {
    return this.settings.setLanguage(code);
  }

  private entered(): void {
    const address = read(location.hash);
    this.navigation.path = address.place ?? ["map"];
    this.wall = address;
    this.planner.follow(address.plan, !address.view);
    this.search.setText(address.query ?? (address.view ? "" : (this.session.account.start?.filter ?? "")));
  }

  private cleared(): void {
    this.sitting++;
    this.chart = undefined;
    this.widening?.end();
    this.settled = false;
    this.stored = undefined;
    this.inPort = undefined;
    this.shapes.forget();
    this.watchdogs.forget();
    this.ports.forget();
    this.tracks.clear();
    this.tracked.clear();
    this.planner.follow(undefined);
    this.ruler?.begin();
    this.following.mmsi = 0;
    this.selection.close();
  }

  // ---- the address -----------------------------------------------------------------------------------------------

  private state(): Address {
    const given = this.settled ? {} : read(location.hash); // before the first picture the address knows better
    const { navigation, selection, settings } = this;
    if (navigation.open.kind === "wall")
      return { view: this.wall.view, every: this.wall.every, query: this.search.text || undefined, vectors: settings.vectorMinutes };
    return {
      view: this.settled ? this.centre : given.view,
      ship: selection.mmsi || given.ship,
      query: this.search.text || undefined,
      tracks: this.settled ? this.tracks.all : given.tracks,
      vectors: settings.vectorMinutes,
      plan: navigation.open.name === "route" ? this.planner.plan : undefined,
    };
  }

  private follow(address: Address, whole: boolean): void {
    const { selection, settings } = this;
    if (address.place?.[0] === "wall") this.wall = address;
    if (address.place?.[0] === "route") this.planner.follow(address.plan, !address.view);
    if (whole && address.vectors !== undefined) settings.setVectors(address.vectors);
    if (address.view && this.following.mmsi !== 0) this.following.release();
    if ((address.query ?? "") !== this.search.text) this.search.setText(address.query ?? "");
    if (address.view) {
      this.centre = { ...address.view }; // at once: the address is written before the map has moved
      this.chart?.show(address.view.lon, address.view.lat, address.view.zoom);
    }
    if (address.ship) selection.select(address.ship, address.view ? "stay" : "go");
    else selection.close();
    this.track(address.tracks, false);
  }

  // track shows these tracks and no others; fit brings the map to the first of them.
  private track(wanted: Address["tracks"] = [], fit: boolean): void {
    for (const { mmsi } of this.tracks.all) if (!wanted.some((each) => each.mmsi === mmsi)) this.tracks.hide(mmsi);
    wanted.slice(0, mostTracks).forEach(({ mmsi, span }, i) => void this.tracks.show(mmsi, span, fit && i === 0));
  }

  // ---- the map ---------------------------------------------------------------------------------------------------

  /** attach makes the map in its element; it is called once the page shows it. */
  attach(target: HTMLElement): void {
    const { view, ship } = read(location.hash);
    const { navigation, selection } = this;
    const { mmsi_list, start } = this.session.account;
    if (ship) selection.mmsi = ship;
    this.chart = new Chart(target, this.picture, {
      moved: (lon, lat, zoom) => {
        this.centre = { lon, lat, zoom };
        this.ports.moved();
        this.changed();
      },
      hovered: (ship, x, y) => this.hovered(ship, x, y),
      clicked: (ship, shape) => {
        if (navigation.open.kind === "wall") return;
        const port = shape && portOf(shape);
        if (shape && this.ports.pick?.(shape, ship !== undefined)) return;
        if (ship) selection.select(ship.mmsi);
        else if (port && port !== navigation.path[1]) void navigation.go("port", port);
        else if (shape?.startsWith("watchdog:") && navigation.open.name === "watchdogs") void navigation.go("watchdogs", shape.slice(9));
        else if (shape && !port && navigation.open.name === "shapes") void navigation.go("shapes", shape);
      },
    });
    Object.assign(this.chart.painter.look, { selected: selection.mmsi, own: new Set(mmsi_list) });
    this.settings.dress();
    if (view) this.chart.show(view.lon, view.lat, view.zoom);
    else if (start?.bbox && !ship) this.chart.showBox(start.bbox);
    this.shapes.show();
    this.distress.mark();
    this.live.start();
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
    const { selection } = this;
    if (this.settled || !this.chart) return;
    const empty = this.picture.ships.size === 0; // and the address may name a ship that left
    const { aimed } = this.chart; // at what the address or an open page names: the picture moves it no more
    if (empty ? selection.mmsi === 0 && !this.planner.begun : !aimed && !this.chart.fit(false) && selection.mmsi === 0) return;
    const { tracks } = read(location.hash);
    this.settled = true;
    if (selection.mmsi !== 0) selection.select(selection.mmsi, aimed ? "stay" : "go");
    this.track(tracks, !aimed);
    if (!empty && selection.mmsi === 0 && this.picture.ships.size < few) void this.widen(this.chart);
  }

  // widen keeps the ships on the map that come in next, where a receiver has just begun.
  private async widen(chart: Chart): Promise<void> {
    const part = await import("./map/widening").catch(() => undefined);
    if (part && chart === this.chart) this.widening = new part.Widening(chart, this.picture);
  }

  /** openStored shows the last places of the store, where it has some, until a ship is heard. */
  async openStored(): Promise<void> {
    const { loadStored } = await import("./stored");
    const stored = await loadStored().catch(() => undefined); // who may not ask gets the card alone
    if (!stored || this.picture.ships.size > 0 || this.session.stage !== "on") return;
    this.stored = { newest: stored.newest, read: false };
    this.picture.replace(stored.records);
    this.search.sift();
    this.firstPicture();
    this.chart?.draw();
    this.changed();
  }

  // ---- the live stream -------------------------------------------------------------------------------------------

  private heard(name: string, data: unknown): void {
    if (name === "status") {
      const status = data as LiveStatus;
      this.feeds.tell(status);
      this.boxNotices = status.notices ?? [];
      return this.changed();
    }
    if (name === "distress") return this.distress.hear(data as Alarms);
    if (name === "messages") return this.messages.hear(data as LiveMessages);
    if (name === "track") return this.tracked.hear((data as LiveTrack).ids);
    if (name === "alert") return this.alerts.hear(data as LiveAlerts);
    if (name === "event") {
      this.alerts.drop((data as LiveEvents).gone ?? []);
      if (this.navigation.open.name === "watchdogs") this.watchdogs.stir();
      return this.events.hear(data as LiveEvents);
    }
    if (name === "select") return this.request.hear(data as LiveSelect);
    if (name !== "picture" && name !== "change") return;
    const whole = name === "picture"; // at the start, and after the link was lost
    const { time, records = [], gone = [] } = data as { time?: string; records?: RecordOfAPI[]; gone?: number[] };
    this.picture.tell(time);
    if (this.stored && records.length > 0) {
      this.stored = undefined; // a ship is heard: that is the present
      this.picture.replace([]);
    }
    if (whole && !this.stored) this.picture.replace(records);
    else this.picture.change(records, gone);
    this.search.sift();
    this.tracks.lengthen();
    this.firstPicture();
    this.widening?.widen();
    if (whole) {
      void this.shapes.load();
      void this.events.follow().then(() => this.watchdogs.load()); // in this order the list tells which of the events are of watchdogs that were deleted
      if (!this.alerts.there) void this.alerts.load();
      this.search.pictured();
    }
    if (this.navigation.open.kind !== "page") this.chart?.draw();
    this.changed();
  }

  private linked(up: boolean, retryAt: number): void {
    if (up && this.link.lost) void Promise.all([this.events.load(), this.alerts.load()]); // acknowledgements were missed too
    if (up && this.link.lost) this.say(t("say.up", { n: this.picture.ships.size }));
    if (!up && !this.link.lost) this.say(t("say.down"));
    this.link = { up, retryAt, lost: !up };
    if (up) {
      this.chart?.mend();
      reached.dispatchEvent(new Event("up"));
    }
    this.changed();
  }

  private refused(problem: Refusal): void {
    if (problem.status === 401) return this.session.leave(t("signin.ended"));
    if (problem.status === 403 && this.live.filter === "") return this.session.bar(problem); // it is no filter that is refused
    this.link = { up: false, retryAt: 0, lost: false };
    this.search.refuse(problem);
  }
}
