// Marks are the places of events on the map. One that is clicked is chosen.
import type { Overlay } from "../map/tool";
import { across, down, type Screen } from "../map/view";
import { tint } from "../map/tint";
import type { Palette, PaletteName } from "../palette";
import { mercatorX, mercatorY } from "../picture";
import { marks, type Severity, type WatchEvent } from "./event";
import { colours } from "./watchdogs";

const reach = 14; // pixels around a mark

export class Marks implements Overlay {
  readonly aims = false;
  /** chosen is the event that stands out, -1 for none. */
  chosen = -1;

  constructor(
    private readonly events: readonly WatchEvent[],
    private readonly severity: Severity,
    private readonly palette: () => PaletteName,
    private readonly choose: (i: number) => void,
  ) {}

  down(): boolean {
    return false;
  }

  drag(): void {}

  up(): void {}

  move(s: Screen, x: number, y: number): boolean {
    return this.at(s, x, y, reach) >= 0;
  }

  click(s: Screen, x: number, y: number, touch: boolean): boolean {
    const i = this.at(s, x, y, touch ? 2 * reach : reach);
    if (i >= 0) this.choose(i);
    return i >= 0;
  }

  private at(s: Screen, x: number, y: number, within: number): number {
    let best = -1,
      nearest = within * s.ratio;
    this.each(s, (i, px, py) => {
      const far = Math.hypot(px - x * s.ratio, py - y * s.ratio);
      if (far <= nearest) [best, nearest] = [i, far];
    });
    return best;
  }

  private each(s: Screen, tell: (i: number, x: number, y: number) => void): void {
    this.events.forEach(({ lon, lat }, i) => {
      if (lon !== undefined && lat !== undefined) tell(i, across(s, mercatorX(lon)), down(s, mercatorY(lat)));
    });
  }

  paintLow(): void {}

  paintHigh(c: CanvasRenderingContext2D, s: Screen, p: Palette): void {
    const ink = tint(colours[this.severity], this.palette());
    c.textAlign = "center";
    c.textBaseline = "middle";
    c.lineJoin = "round";
    this.each(s, (i, x, y) => {
      const chosen = i === this.chosen;
      c.font = `${(chosen ? 24 : 15) * s.ratio}px system-ui, sans-serif`;
      const sign = this.events[i].begins ? marks[this.severity] : "○";
      c.strokeStyle = p.halo;
      c.lineWidth = 4 * s.ratio;
      c.strokeText(sign, x, y);
      c.fillStyle = ink;
      c.fillText(sign, x, y);
    });
    c.textAlign = "start";
  }
}
