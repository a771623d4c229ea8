// The health of the feeds, as the server's status tells it and as it grows old until the next status.
/** Health is how a feed does; never: nothing was heard yet, ended: a log was read to its end, unknown: the server says nothing. */
import type { Feed } from "./contract";

export type Health = "ok" | "silent" | "never" | "down" | "ended" | "unknown";

const notLive = 120e3; // milliseconds between the box's clock and the picture's from which on the picture is not live
const apart = 1.5e3; // between two statuses that tell how fast the picture's time runs
const statusEvery = 6e3; // between two statuses at most: the server sends one every 5 s
const statusLate = 9e3; // since a status from which on the server is said to be silent
const patience = 8e3; // a feed silent for longer is said to be silent within 10 s, also by a slow browser

/** Feeds keeps the last status and what is usual for each feed. */
export class Feeds {
  list: Feed[] = [];
  /** ships counts those that the user may see. */
  ships = 0;
  /** told is true from the first status on. */
  told = false;
  private at = 0; // performance.now() of the status
  private time = 0; // the box's own time at the status; the picture of a log or a fast simulation has another
  private measured = 0; // the box's time at the status by which the speed is measured
  private shown = 0; // and that of the picture
  private speed?: number;
  private usual = new Map<string, number>(); // messages per second, smoothed

  /** tell takes a status. */
  tell(status: { time: string; clock?: string; ships?: number; feeds: Feed[] }): void {
    this.list = status.feeds;
    this.ships = status.ships ?? 0;
    this.told = true;
    const time = Date.parse(status.clock ?? status.time),
      shown = Date.parse(status.time);
    const passed = time - this.measured;
    if (this.measured !== 0 && passed > apart) this.speed = (shown - this.shown) / passed;
    if (this.measured === 0 || passed > apart || passed < 0) [this.measured, this.shown] = [time, shown];
    this.time = time;
    this.at = performance.now();
    for (const feed of this.list) {
      if (feed.messages_per_second <= 0) continue;
      const was = this.usual.get(feed.name) ?? feed.messages_per_second;
      this.usual.set(feed.name, was * 0.8 + feed.messages_per_second * 0.2);
    }
  }

  /** late returns the milliseconds since the last status if another one is overdue. Nothing is known of the feeds then. */
  late(now: number): number | undefined {
    return this.told && now - this.at >= statusLate ? now - this.at : undefined;
  }

  /** past tells that the picture shows another time than now, and how many times faster than the clock that runs, where it is known. */
  past(): { speed?: number } | undefined {
    if (!this.told || Math.abs(this.shown - this.measured) < notLive) return undefined;
    return { speed: this.speed };
  }

  /** age returns the milliseconds since the last message of a feed, as far as statuses tell; undefined if there was none. */
  age(feed: Feed, now: number): number | undefined {
    if (!feed.last_message) return undefined;
    return Math.max(0, this.time - Date.parse(feed.last_message) + Math.min(now - this.at, statusEvery));
  }

  /** health judges a feed: one that hears little anyway is given eight of its usual intervals, up to three minutes. */
  health(feed: Feed, now: number): Health {
    if (this.late(now) !== undefined) return "unknown";
    if (!feed.connected) return feed.error ? "down" : feed.last_message ? "ended" : "down";
    const age = this.age(feed, now);
    if (age === undefined) return "never";
    const usual = this.usual.get(feed.name);
    const limit = Math.min(180e3, Math.max(patience, usual ? 8000 / usual : patience));
    return age >= limit ? "silent" : "ok";
  }
}
