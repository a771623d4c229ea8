// The overlay lays the picture of a result over the map, beneath the ships, and tells which record was clicked on.
import type { App } from "../app";
import type { Overlay } from "../map/tool";
import { across, down, type Screen } from "../map/view";
import { mercatorX, mercatorY } from "../picture";
import type { PaletteName } from "../palette";
import { frameOf, pictureOf, type Asked, type Drawn } from "./picture";
import type { Row } from "./row";

const rest = 150; // milliseconds that the map stands still before a picture is asked for
const pause = 5e3; // milliseconds after a failure before the same is asked for again
const reach = { mouse: 9, finger: 20 }; // pixels

/** Listener hears of the picture. */
export interface Listener {
  /** picked tells that the place of a record was clicked on. */
  picked(id: string): void;
  /** failed says why there is no picture; "" when there is one. */
  failed(why: string): void;
}

interface Laid extends Asked, Drawn {
  style: PaletteName;
}

const keyOf = (style: PaletteName, of: Asked): string =>
  [document.documentElement.lang, style, of.west, of.south, of.east, of.north, of.width, of.height].join(" ");

export class ResultOverlay implements Overlay {
  readonly aims = false;
  readonly idle = true;
  /** drawn is the last picture that came; it is stretched until the next is there. */
  drawn?: Laid;
  readonly texts: [number, number, number, number][] = [];
  private readonly places: { id: string; x: number; y: number }[];
  private asked = "";
  private timer = 0;
  private abort = new AbortController();

  constructor(
    private readonly app: App,
    private readonly job: number,
    rows: readonly Row[],
    private readonly pictured: boolean,
    private readonly listener: Listener,
  ) {
    this.places = rows.flatMap(({ id, lon, lat }) =>
      lon === undefined || lat === undefined ? [] : [{ id, x: mercatorX(lon), y: mercatorY(lat) }],
    );
  }

  /** close asks for nothing more. */
  close(): void {
    clearTimeout(this.timer);
    this.abort.abort();
  }

  down(): boolean {
    return false;
  }
  drag(): void {}
  up(): void {}

  move(s: Screen, x: number, y: number): boolean {
    return this.at(s, x, y, reach.mouse) !== undefined;
  }

  click(s: Screen, x: number, y: number, touch: boolean, ship: unknown): boolean {
    const id = ship ? undefined : this.at(s, x, y, touch ? reach.finger : reach.mouse);
    if (id !== undefined) this.listener.picked(id);
    return id !== undefined;
  }

  // at returns the record whose place is nearest.
  private at(s: Screen, x: number, y: number, within: number): string | undefined {
    let best: string | undefined,
      least = within;
    for (const place of this.places) {
      const far = Math.hypot(across(s, place.x) / s.ratio - x, down(s, place.y) / s.ratio - y);
      if (far <= least) [best, least] = [place.id, far];
    }
    return best;
  }

  paintLow(c: CanvasRenderingContext2D, s: Screen): void {
    this.texts.length = 0;
    if (!this.pictured) return;
    const style = this.app.settings.palette,
      frame = frameOf(s);
    if (keyOf(style, frame) !== this.asked) this.ask(style, frame);
    if (this.drawn?.style !== style) return; // colours of the day would blind at night
    const { image, labels, west, south, east, north } = this.drawn,
      x = (metres: number): number => ((metres - s.x) / s.resolution) * s.ratio + s.width / 2;
    c.drawImage(image, x(west), down(s, north), x(east) - x(west), down(s, south) - down(s, north));
    const [left, top, wide, high] = [
      x(west),
      down(s, north),
      (x(east) - x(west)) / image.width,
      (down(s, south) - down(s, north)) / image.height,
    ];
    for (const [l, t, w, h] of labels) this.texts.push([left + l * wide, top + t * high, left + (l + w) * wide, top + (t + h) * high]);
  }

  paintHigh(): void {}

  // ask asks for a picture once the map stands still.
  private ask(style: PaletteName, frame: Asked): void {
    this.asked = keyOf(style, frame);
    clearTimeout(this.timer);
    this.abort.abort();
    this.timer = window.setTimeout(() => void this.load(style, frame), rest);
  }

  private async load(style: PaletteName, frame: Asked): Promise<void> {
    const abort = (this.abort = new AbortController());
    try {
      const drawn = await pictureOf(this.job, style, frame, abort.signal);
      if (abort.signal.aborted) return;
      this.drawn = { ...frame, style, ...drawn };
      this.listener.failed("");
      this.app.chart?.redraw();
    } catch (problem) {
      if (abort.signal.aborted) return;
      this.listener.failed((problem as Error).message);
      this.timer = window.setTimeout(() => void this.load(style, frame), pause);
    }
  }
}
