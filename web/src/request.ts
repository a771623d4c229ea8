// ShowRequest is what another program or window of the same user asked to be shown: the map goes there, names the owner of
// the request, and knows the way back.
import type { LiveSelect } from "./contract";
import type { Desk } from "./desk";
import type { Following } from "./follow";
import type { Navigation } from "./navigation";
import { cover } from "./cover";
import type { Selection } from "./selection";
import { title } from "./ship";
import { t } from "./text/text";

const mostNames = 3;

export class ShowRequest {
  /** What is shown, and whether the map is there; while the user draws it is not: the user is asked first. */
  now?: { owner: string; ships: { mmsi: number; name: string }[]; there: boolean; placed: boolean };
  private before?: { lon: number; lat: number; zoom: number };
  private asked?: LiveSelect;

  constructor(
    private readonly desk: Desk,
    private readonly navigation: Navigation,
    private readonly selection: Selection,
    private readonly following: Following,
  ) {}

  /** hear takes an event. No ships end the selection of its owner. */
  hear(event: LiveSelect): void {
    const owner = event.owner ?? "",
      records = event.records ?? [];
    if (records.length === 0) {
      if (this.now?.owner === owner) this.close();
      return;
    }
    this.asked = event;
    this.before ??= { ...this.desk.centre };
    this.now = { owner, ships: records.map((r) => ({ mmsi: r.mmsi, name: title(r) })), there: false, placed: event.bbox !== undefined };
    if (!this.desk.chart?.pen && !this.desk.unsaved) this.show();
    else if (this.navigation.open.kind === "page") this.desk.tell(this.text()); // in front of the map, where its own note is not seen
    this.desk.say(this.text());
  }

  /** show goes there. */
  show(): void {
    const { asked, now, selection } = this;
    if (!asked || !now) return;
    const only = now.ships.length === 1;
    this.navigation.showMap();
    this.following.release();
    if (asked.bbox) this.desk.chart?.showBox(asked.bbox, asked.zoom, only ? cover() : 0);
    if (only) selection.select(now.ships[0].mmsi, "stay");
    else selection.close(); // a card would cover some of them
    now.there = true;
    this.mark(now.ships.map((s) => s.mmsi));
  }

  /** back returns to the view of before. */
  back(): void {
    const before = this.before;
    this.close();
    if (before) this.desk.chart?.showView(before.lon, before.lat, before.zoom);
  }

  /** close forgets the selection and stays. */
  close(): void {
    this.now = this.before = this.asked = undefined;
    this.mark([]);
  }

  private mark(ships: number[]): void {
    const chart = this.desk.chart;
    if (chart) {
      chart.painter.look.marked = new Set(ships);
      chart.draw();
    }
    this.desk.changed();
  }

  /** text names the ships and the owner of the request. */
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
