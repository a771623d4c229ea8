// The latest arrivals and departures at the port of the box, for the wall display.
import type { App } from "../app";
import { loadHome, ownHome } from "../home";
import { cameAt, loadVisits, wentAt, type Visit } from "../port/model";
import { portText } from "../portname";
import { title } from "../ship";

/** Passing is a ship that came to the port or left it. */
export interface Passing {
  key: string;
  mmsi: number;
  name: string;
  arrived: boolean;
  time: number;
  port: string;
}

const pace = 5 * 60e3; // milliseconds between two questions
const back = 12 * 3600e3;
const most = 40; // more than the wall shows, as ships among them may be hidden
const rights = ["view_port", "view_history", "view_ata_atd"];

/** passingsOfVisits returns who came and left since a time, the latest first. */
export const passingsOfVisits = (visits: readonly Visit[], since: number): Passing[] =>
  visits
    .flatMap((visit) => [passingOf(visit, true, cameAt(visit)), passingOf(visit, false, wentAt(visit))])
    .filter((p): p is Passing => p !== undefined && p.time >= since)
    .sort((a, b) => b.time - a.time)
    .slice(0, most);

const passingOf = ({ key, ship, call }: Visit, arrived: boolean, time?: number): Passing | undefined =>
  time === undefined ? undefined : { key, mmsi: ship.mmsi, name: title(ship), arrived, time, port: portText(call.port) };

export class Passings {
  /** all are the latest, the latest first. */
  all: Passing[] = [];
  private askedAt = -Infinity;
  private port?: number;

  constructor(private readonly app: App) {}

  /** look asks anew now and then, where the user may know and there is a port. */
  look(): void {
    if (performance.now() - this.askedAt < pace || !this.app.link.up || !rights.every((right) => this.app.session.may(right))) return;
    this.askedAt = performance.now();
    void this.load().catch(() => undefined); // the next time
  }

  private async load(): Promise<void> {
    this.port ??= await homePort();
    if (!this.port) return;
    const now = this.app.picture.now(),
      visits = await loadVisits(String(this.port), { begin: now - back, end: now });
    this.all = passingsOfVisits(visits.all, now - back);
    this.app.changed();
  }
}

// homePort is the port that this browser chose, else the one of the configuration. What the box offers alone nobody has confirmed.
async function homePort(): Promise<number | undefined> {
  const own = ownHome();
  return typeof own === "number" ? own : (await loadHome()).port?.id;
}
