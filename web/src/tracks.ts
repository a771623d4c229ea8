// Tracks are the tracks on the map: of several ships at once, each of its own time.
import type { Desk } from "./desk";
import { loadShip } from "./left";
import { sameSpan, type Span } from "./span";
import { title, type Ship } from "./ship";
import { speed } from "./text/figures";
import { when } from "./text/clock";
import { loadTrack, type Track } from "./track";
import { whyOf } from "./why";

/** Shown is a track on the map, or on its way there. */
export interface Shown {
  mmsi: number;
  name: string;
  span: Span;
  state: "loading" | "shown" | "empty" | "failed";
  problem: string; // of one that failed
  track?: Track;
  abort: AbortController;
}

/** mostTracks is how many tracks the map shows at once. */
export const mostTracks = 8;

export class Tracks {
  /** all are the tracks in the order in which they were asked for. */
  all: Shown[] = [];
  /** strong is the ship whose track stands out, 0 for none. */
  private strong = 0;

  constructor(private readonly desk: Desk) {}

  /** of returns the track of a ship. */
  of(mmsi: number): Shown | undefined {
    return this.all.find((each) => each.mmsi === mmsi);
  }

  /** show draws the track of a ship in place of another of the same ship; fit brings the map there. */
  async show(mmsi: number, span: Span, fit: boolean): Promise<void> {
    const was = this.of(mmsi);
    if (was && sameSpan(was.span, span) && was.state !== "failed") return;
    was?.abort.abort();
    const abort = new AbortController();
    const one: Shown = { mmsi, name: was?.name ?? title({ mmsi }), span, state: "loading", problem: "", abort, track: was?.track };
    this.all = was ? this.all.map((each) => (each === was ? one : each)) : [...this.all, one];
    for (const old of this.all.slice(0, -mostTracks)) this.hide(old.mmsi);
    this.desk.changed();
    try {
      await this.load(one);
    } catch (problem) {
      if (abort.signal.aborted) return;
      one.state = "failed";
      one.problem = whyOf(problem);
      one.track = undefined;
    }
    if (abort.signal.aborted) return;
    this.draw();
    if (fit && one.state === "shown") this.desk.chart?.fitTrack(one.track!);
  }

  private async load(one: Shown): Promise<void> {
    const { picture } = this.desk,
      { mmsi, span } = one;
    const here = picture.ships.get(mmsi),
      ship: Ship | undefined = here ?? (await loadShip(mmsi));
    if (ship) one.name = title(ship);
    const now = here ? picture.now() : (ship?.time ?? picture.now()); // the last hours of a ship that left end at its last report
    const [from, to] = "hours" in span ? [now - span.hours * 3600e3, now + 60e3] : [span.from, span.to];
    const track = await loadTrack(mmsi, from, to, one.abort.signal);
    one.track = track.count > 0 ? track : undefined;
    one.state = one.track ? "shown" : "empty";
    this.lengthenOne(one);
  }

  /** hide takes the track of a ship from the map. */
  hide(mmsi: number): void {
    this.of(mmsi)?.abort.abort();
    this.all = this.all.filter((each) => each.mmsi !== mmsi);
    this.draw();
  }

  /** clear takes all tracks from the map. */
  clear(): void {
    for (const each of this.all) each.abort.abort();
    this.all = [];
    this.draw();
  }

  /** emphasise makes the track of a ship stand out. */
  emphasise(mmsi: number): void {
    this.strong = mmsi;
    this.draw();
  }

  /** point points out the fix of a track that is nearest to a time; undefined ends that. */
  point(one: Shown, time: number | undefined): void {
    const { chart } = this.desk,
      track = one.track;
    if (!chart || !track) return;
    const i = time === undefined ? -1 : track.nearest(time);
    chart.painter.cursor = i < 0 ? undefined : { x: track.x[i], y: track.y[i], text: this.fixText(track, i) };
    chart.draw();
  }

  /** fixText says when a fix was, and how fast. */
  fixText(track: Track, i: number): string {
    const knots = track.sog[i];
    return when(track.time[i], this.desk.picture.now()) + (Number.isNaN(knots) ? "" : ` · ${speed(knots)}`);
  }

  /** lengthen adds the latest fixes to the tracks of the last hours. */
  lengthen(): void {
    for (const one of this.all) this.lengthenOne(one);
  }

  private lengthenOne({ mmsi, span, track }: Shown): void {
    const ship = this.desk.picture.ships.get(mmsi);
    if (!track || !("hours" in span) || !ship || ship.lon === undefined || ship.lat === undefined || !ship.fixTime) return;
    track.append(ship.lon, ship.lat, ship.fixTime, ship.sog, ship.untrusted);
  }

  private draw(): void {
    const { chart } = this.desk;
    if (chart) {
      const drawn = this.all.filter((each) => each.track);
      chart.painter.tracks = drawn
        .map(({ mmsi, name, track }) => ({ track: track!, name: drawn.length > 1 ? name : "", strong: mmsi === this.strong }))
        .sort((a, b) => Number(a.strong) - Number(b.strong)); // the one that stands out lies upon the others
      chart.painter.cursor = undefined;
      chart.draw();
    }
    this.desk.changed();
  }
}
