// Spot is a place that a click on the map sets.
import type { Overlay } from "../map/tool";
import { across, down, type Screen } from "../map/view";
import { placeAt } from "../map/pen";
import type { Palette } from "../palette";
import { mercatorX, mercatorY } from "../picture";
import { normal } from "../geometry";

/** Place is longitude and latitude. */
export type Place = [lon: number, lat: number];

export class Spot implements Overlay {
  readonly aims = true;
  place?: Place;

  constructor(private readonly chosen: (place: Place) => void) {}

  down(): boolean {
    return false;
  }

  drag(): void {}

  up(): void {}

  move(): boolean {
    return false;
  }

  click(s: Screen, x: number, y: number): boolean {
    const [lon, lat] = placeAt(s, x, y);
    this.place = [Number(normal(lon).toFixed(5)), Number(lat.toFixed(5))];
    this.chosen(this.place);
    return true;
  }

  paintLow(): void {}

  paintHigh(c: CanvasRenderingContext2D, s: Screen, p: Palette): void {
    if (!this.place) return;
    const x = across(s, mercatorX(this.place[0])),
      y = down(s, mercatorY(this.place[1])),
      arm = 10 * s.ratio;
    const cross = (): void => {
      c.beginPath();
      c.moveTo(x - arm, y - arm);
      c.lineTo(x + arm, y + arm);
      c.moveTo(x - arm, y + arm);
      c.lineTo(x + arm, y - arm);
      c.stroke();
    };
    c.strokeStyle = p.halo;
    c.lineWidth = 6 * s.ratio;
    cross();
    c.strokeStyle = p.track;
    c.lineWidth = 3 * s.ratio;
    cross();
  }
}
