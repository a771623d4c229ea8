// Events is the latest events of watchdogs as the server tells them. What asks somebody to look is an alert (../alerts).
import { send } from "../api";
import type { LiveEvents, WatchdogEvent } from "../contract";
import type { Desk } from "../desk";
import { cover } from "../cover";
import type { Navigation } from "../navigation";
import type { Selection } from "../selection";
import type { Session } from "../session";
import { learn } from "../text/text";
import type { Tracks } from "../tracks";
import { whyOf } from "../why";
import en from "./en.json";
import { eventOf, type WatchEvent } from "./event";

learn({ en });

const most = 300; // that a page keeps
const pace = 15e3; // milliseconds between two questions
const around = 10 * 60e3; // milliseconds of track before and after an event

export class Events {
  /** all are the latest events, the newest first. */
  all: WatchEvent[] = [];
  /** problem says why they could not be read. */
  problem = "";
  /** there is true once they have been read. */
  there = false;
  private askedAt = 0;
  private upTo = 0; // the event up to which the list has been asked for; a stream may have left out one after it
  private asking?: WatchdogEvent[]; // what came while the list is asked for

  constructor(
    private readonly desk: Desk,
    private readonly session: Session,
    private readonly navigation: Navigation,
    private readonly selection: Selection,
    private readonly tracks: Tracks,
  ) {}

  /** load asks for the latest events. */
  async load(): Promise<void> {
    if (!this.session.may("view_watchdog")) return this.clear();
    this.askedAt = performance.now();
    const heard: WatchdogEvent[] = [],
      { user } = this.session;
    this.asking = heard;
    try {
      const { records } = await send<{ records: WatchdogEvent[] }>("GET", `watchdog/event?latest=${most}`);
      if (this.asking !== heard || user !== this.session.user) return;
      this.all = [];
      this.problem = "";
      this.there = true;
      this.upTo = records.at(-1)?.id ?? 0;
      this.take([...records, ...heard]);
    } catch (problem) {
      if (this.asking !== heard) return;
      this.problem = whyOf(problem);
    }
    this.asking = undefined;
    this.desk.changed();
  }

  /** hear takes what the server tells: new events, and earlier ones that changed. */
  hear({ records, gone, again }: LiveEvents): void {
    this.asking?.push(...records);
    if (gone) this.all = this.all.filter((e) => !gone.includes(e.id));
    this.take(records);
    if (again) void this.load();
    this.desk.changed();
  }

  /** tick asks now and then for what no stream told: between two streams of a browser there is a moment without one. */
  tick(): void {
    if (performance.now() - this.askedAt >= pace) void this.follow();
  }

  /** follow asks for the events after those that are known, or for the list where there is none yet. */
  async follow(): Promise<void> {
    if (!this.there) return this.load();
    this.askedAt = performance.now();
    const { user } = this.session;
    try {
      const heard = await send<LiveEvents>("GET", `watchdog/event?after_id=${this.upTo}`);
      if (user !== this.session.user || !this.there) return;
      this.upTo = heard.records.at(-1)?.id ?? this.upTo;
      this.hear(heard);
    } catch {
      /* the next time */
    }
  }

  private take(records: WatchdogEvent[]): WatchEvent[] {
    const come = records.map((r) => eventOf(r, (mmsi) => this.desk.picture.ships.get(mmsi)?.name));
    const known = new Map([...this.all, ...come].map((e) => [e.id, e]));
    this.all = [...known.values()].sort((a, b) => b.id - a.id).slice(0, most);
    return come;
  }

  /** clear forgets the events: nobody is signed in. */
  clear(): void {
    this.all = [];
    this.problem = "";
    this.there = false;
    this.asking = undefined;
  }

  /** goTo leaves the board on a phone, and shows where an event was. */
  async goTo(e: WatchEvent): Promise<void> {
    if (innerWidth < 900 && !(await this.navigation.go("map"))) return;
    await this.show(e);
  }

  /** show shows where an event was, and the way of the ship before and after. */
  async show(e: Pick<WatchEvent, "mmsi" | "time" | "lon" | "lat">): Promise<void> {
    const { desk } = this;
    if (e.lon !== undefined && e.lat !== undefined) desk.chart?.go({ lon: e.lon, lat: e.lat }, true, cover());
    if (e.mmsi === 0) return;
    this.selection.select(e.mmsi, "stay");
    const to = Math.min(e.time + around, desk.picture.now());
    if (this.session.may("view_historical_tracks")) await this.tracks.show(e.mmsi, { from: e.time - around, to }, false);
  }
}
