// TrackedShip holds what the server knows of the selected ship as a tracked one, and asks anew while the card is open. Without pcs_access
// nothing is asked.
import type { Desk } from "../desk";
import { Way } from "../map/way";
import type { Session } from "../session";
import type { Ship } from "../ship";
import { aheadOf } from "./ahead";
import { loadTrack, loadTracks, ofShip, over, type Track } from "./track";

const refresh = 30e3; // milliseconds between two questions
const soon = 2e3; // between two that events ask for

/** trackable tells a ship from stations, aircraft and beacons. */
export const trackable = ({ group }: Ship): boolean => group !== "base" && group !== "aton" && group !== "aircraft" && group !== "distress";

export class TrackedShip {
  /** mmsi is the number of the ship, 0 for none that may be tracked. */
  mmsi = 0;
  /** tracks are those of the ship; undefined until they are known. */
  tracks?: Track[];
  /** chosen is the number of the track that is shown, 0 for none. */
  chosen = 0;
  /** problem is why nothing newer is known. */
  problem?: unknown;
  /** starting is true while a destination is chosen. */
  starting = false;
  /** listeners are told the numbers of tracks that changed. */
  readonly listeners = new Set<(ids: readonly number[]) => void>();
  private detail?: Track; // of the chosen one, with its way
  private known = new Set<number>(); // numbers of all tracks
  private asked = -Infinity;
  private wanted = false; // an event told of a change
  private turn = 0;
  private drawn?: { of: Track; lon?: number; lat?: number };

  constructor(
    private readonly desk: Desk,
    private readonly session: Session,
    private readonly selected: () => Ship | undefined,
  ) {}

  /** track is the chosen track, with all that is known of it. */
  get track(): Track | undefined {
    if (this.detail?.id === this.chosen) return this.detail;
    return this.tracks?.find((one) => one.id === this.chosen);
  }

  /** tick asks for the tracks of the selected ship when they are not known or old, and draws the way. */
  tick(): void {
    const ship = this.session.may("pcs_access") ? this.selected() : undefined,
      mmsi = ship && trackable(ship) ? ship.mmsi : 0;
    if (mmsi !== this.mmsi) this.forget(mmsi);
    this.draw(ship);
    const age = performance.now() - this.asked;
    if (mmsi !== 0 && !document.hidden && (age >= refresh || (this.wanted && age >= soon))) void this.ask();
  }

  private forget(mmsi: number): void {
    this.turn++;
    this.mmsi = mmsi;
    this.tracks = this.detail = this.problem = undefined;
    this.chosen = 0;
    this.asked = -Infinity;
    this.starting = this.wanted = false;
  }

  /** clear forgets all, because nobody is signed in any more. */
  clear(): void {
    this.forget(0);
    this.known.clear();
    this.drawn = undefined;
  }

  /** hear takes the numbers of tracks that changed. */
  hear(ids: readonly number[]): void {
    for (const listener of this.listeners) listener(ids);
    const mine = this.tracks ?? [];
    if (ids.some((id) => !this.known.has(id) || mine.some((one) => one.id === id))) this.wanted = true;
  }

  /** ask asks for the tracks of the ship, and for the way and the history of the chosen one. */
  async ask(): Promise<void> {
    const mine = ++this.turn;
    this.asked = performance.now();
    this.wanted = false;
    try {
      const all = await loadTracks(),
        tracks = ofShip(all, this.mmsi);
      const id = (tracks.find((one) => one.id === this.chosen) ?? tracks[0])?.id ?? 0;
      const detail = id === 0 ? undefined : await loadTrack(id);
      if (mine !== this.turn) return;
      this.known = new Set(all.map((one) => one.id));
      Object.assign(this, { tracks, chosen: id, detail, problem: undefined });
    } catch (problem) {
      if (mine !== this.turn) return;
      this.problem = problem;
    }
    this.draw(this.selected());
    this.desk.changed();
  }

  /** choose shows another track of the ship. */
  choose(id: number): void {
    this.chosen = id;
    this.desk.changed();
    void this.ask();
  }

  /** begin asks for a destination, or no more. */
  begin(on: boolean): void {
    this.tick(); // of a ship that was just selected it is not known yet
    this.starting = on;
    this.desk.changed();
  }

  /** started shows a track that was just begun. */
  async started(id: number): Promise<void> {
    this.starting = false;
    this.chosen = id;
    await this.ask();
  }

  /** stopped forgets a track that was ended. */
  async stopped(): Promise<void> {
    this.chosen = 0;
    this.draw(this.selected()); // at once, not when the server has answered
    this.desk.changed();
    await this.ask();
  }

  // draw has the map show the way from the ship on, where it is known.
  private draw(ship: Ship | undefined): void {
    const { chart } = this.desk,
      { detail } = this;
    if (!chart) return;
    const of = detail && detail.id === this.chosen && !over(detail) && detail.route.length > 1 ? detail : undefined;
    const same = this.drawn?.of === of && this.drawn?.lon === ship?.lon && this.drawn?.lat === ship?.lat;
    if (same && (chart.way !== undefined) === (of !== undefined)) return;
    this.drawn = of && { of, lon: ship?.lon, lat: ship?.lat };
    const at = ship?.lon === undefined || ship.lat === undefined ? undefined : ([ship.lon, ship.lat] as const);
    chart.way = of && new Way(aheadOf(of.route, of.metres, at), of.eta);
    chart.redraw();
  }
}
