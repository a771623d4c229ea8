import { firstStation } from "../palette";
import { Placed, Shown, type Picture } from "../picture";
import type { Chart } from "./chart";
import { extentOf } from "./extent";
import { world } from "./view";

/** lasts is for how many milliseconds ships still come in: a ship at anchor says its place every three minutes (ITU-R M.1371-5, table 1). */
const lasts = 3 * 60_000 + 5_000;

/** crowd is of so many ships that the look at all of them costs time: it waits rests milliseconds after each. One ship matters little among them. */
const crowd = 1000,
  rests = 10_000;

const acts = ["pointerdown", "wheel", "keydown"] as const;

/** Widening keeps all ships on the map while the first few come in, each by itself, where a receiver has just begun. It ends with the first thing that the user does. */
export class Widening {
  private readonly until = performance.now() + lasts;
  private rested = 0;

  constructor(
    private readonly chart: Chart,
    private readonly picture: Picture,
  ) {
    for (const act of acts) document.addEventListener(act, this.end, { capture: true, passive: true });
    this.widen(); // over those that came since the map was fitted
  }

  /** over is true once the map is left where it is. */
  over = false;

  /** end leaves the map where it is. */
  readonly end = (): void => {
    this.over = true;
    for (const act of acts) document.removeEventListener(act, this.end, { capture: true });
  };

  /** widen shows all ships where one lies beyond the edge of the map. */
  widen(): void {
    const now = performance.now();
    if (this.over || this.chart.busy) return;
    if (this.chart.aimed || now > this.until) return this.end();
    if (now < this.rested) return;
    if (this.picture.ships.size > crowd) this.rested = now + rests;
    if (this.beyond()) this.chart.fit(true);
  }

  // beyond tells whether a ship lies outside of what the last frame showed.
  private beyond(): boolean {
    const { screen } = this.chart,
      extent = extentOf(this.picture, Placed | Shown, firstStation);
    if (!screen || !extent) return false;
    const [west, south, east, north] = extent,
      away = Math.abs((west + east) / 2 - screen.x) % world, // the map may show another copy of the world
      perPixel = screen.resolution / screen.ratio / 2;
    return (
      Math.min(away, world - away) + (east - west) / 2 > screen.width * perPixel ||
      Math.max(north - screen.y, screen.y - south) > screen.height * perPixel
    );
  }
}
