// Selection is what another program or window of the same user asked to be shown: the map goes there, says who asked, and
// knows the way back.
import type { App } from "./app";
import { t } from "./text/text";

/** Selected is the select event of the live stream. */
export interface Selected {
  owner?: string;
  zoom?: number;
  bbox?: [number, number, number, number];
  records?: { mmsi: number; name?: string }[];
}

const mostNames = 3;
const cardWidth = 350; // what the card of a single ship covers

export class Selection {
  /** What is shown, and whether the map is there; it is not while the user draws, who is asked first. */
  now?: { owner: string; ships: { mmsi: number; name: string }[]; there: boolean; placed: boolean };
  private before?: { lon: number; lat: number; zoom: number };
  private asked?: Selected;

  constructor(private readonly app: App) {}

  /** hear takes an event. No ships end the selection of its owner. */
  hear(event: Selected): void {
    const owner = event.owner ?? "",
      records = event.records ?? [];
    if (records.length === 0) {
      if (this.now?.owner === owner) this.close();
      return;
    }
    this.asked = event;
    this.before ??= { ...this.app.centre };
    this.now = {
      owner,
      ships: records.map((r) => ({ mmsi: r.mmsi, name: r.name || String(r.mmsi) })),
      there: false,
      placed: event.bbox !== undefined,
    };
    if (!this.app.chart?.pen && !this.app.unsaved) this.show();
    else if (this.app.open.kind === "page") this.app.tell(this.text()); // in front of the map, where its own note is not seen
    this.app.say(this.text());
  }

  /** show goes there. */
  show(): void {
    const { app, asked, now } = this;
    if (!asked || !now) return;
    if (app.open.kind === "page") void app.go("map");
    app.following = false;
    if (asked.bbox) app.chart?.showBox(asked.bbox, asked.zoom, now.ships.length === 1 && innerWidth >= 900 ? cardWidth : 0);
    if (now.ships.length === 1) app.select(now.ships[0].mmsi, "stay");
    else app.close(); // a card would cover some of them
    now.there = true;
    this.mark(now.ships.map((s) => s.mmsi));
  }

  /** back returns to the view of before. */
  back(): void {
    const before = this.before;
    this.close();
    if (before) this.app.chart?.showView(before.lon, before.lat, before.zoom);
  }

  /** close forgets the selection and stays. */
  close(): void {
    this.now = this.before = this.asked = undefined;
    this.mark([]);
  }

  private mark(ships: number[]): void {
    const chart = this.app.chart;
    if (chart) {
      chart.painter.look.marked = new Set(ships);
      chart.draw();
    }
    this.app.changed();
  }

  /** text says who asked for which ships. */
  text(): string {
    const { now } = this;
    if (!now) return "";
    const names = now.ships
        .slice(0, mostNames)
        .map((s) => s.name)
        .join(", "),
      more = now.ships.length - mostNames;
    const ships = more > 0 ? t("select.more", { names, n: more }) : names;
    return (
      (now.owner === "" ? t("select.asked", { ships }) : t("select.askedBy", { owner: now.owner, ships })) +
      (now.placed ? "" : " " + t("select.nowhere"))
    );
  }
}
