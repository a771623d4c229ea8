// Way is a line on the map with what is told at its end. It lies beneath the ships, and across the date line it goes on.
import type { Palette } from "../palette";
import { mercatorX, mercatorY } from "../picture";
import type { Place } from "../geometry";
import { when } from "../text/clock";
import { t } from "../text/text";
import { world, type Screen } from "./view";

const most = 85.05; // degrees of latitude on the map

export class Way {
  private readonly xs: Float64Array; // metres of the projection; x goes on beyond the date line
  private readonly ys: Float64Array;

  /** The longitudes of the line go on beyond 180 degrees; eta is the time at its end, in Unix milliseconds. */
  constructor(
    readonly line: readonly Place[],
    readonly eta?: number,
  ) {
    this.xs = Float64Array.from(line, ([lon]) => mercatorX(lon));
    this.ys = Float64Array.from(line, ([, lat]) => mercatorY(Math.max(-most, Math.min(most, lat))));
  }

  /** shifts returns by how many metres the line is shifted: once for each copy of the world that the screen shows. */
  shifts(s: Screen): number[] {
    const half = (s.width / s.ratio / 2 + 30) * s.resolution,
      west = Math.min(...this.xs),
      east = Math.max(...this.xs);
    const out: number[] = [];
    for (let k = Math.ceil((s.x - half - east) / world); k <= (s.x + half - west) / world; k++) out.push(k * world);
    return out;
  }

  /** paint draws the line, its end, and the ETA there. */
  paint(c: CanvasRenderingContext2D, s: Screen, p: Palette, now: number): void {
    const x = (i: number, shift: number): number => ((this.xs[i] + shift - s.x) / s.resolution + s.width / s.ratio / 2) * s.ratio,
      y = (i: number): number => ((s.y - this.ys[i]) / s.resolution + s.height / s.ratio / 2) * s.ratio,
      last = this.xs.length - 1;
    c.lineJoin = "round";
    for (const shift of this.shifts(s)) {
      c.beginPath();
      for (let i = 0; i <= last; i++) c.lineTo(x(i, shift), y(i));
      for (const [ink, width, dash] of [[p.halo, 5, []] as const, [p.vector, 2.25, [9, 5]] as const]) {
        c.setLineDash(dash.map((each) => each * s.ratio));
        c.strokeStyle = ink;
        c.lineWidth = width * s.ratio;
        c.stroke();
      }
      c.setLineDash([]);
      this.mark(c, s, p, x(last, shift), y(last), now);
    }
  }

  private mark(c: CanvasRenderingContext2D, s: Screen, p: Palette, x: number, y: number, now: number): void {
    c.beginPath();
    c.arc(x, y, 5 * s.ratio, 0, 7);
    c.fillStyle = p.vector;
    c.fill();
    c.strokeStyle = p.halo;
    c.lineWidth = 2 * s.ratio;
    c.stroke();
    if (this.eta === undefined) return;
    const text = `${t("card.eta")} ${when(this.eta, now, false)}`;
    c.font = `600 ${12 * s.ratio}px system-ui, sans-serif`;
    c.textBaseline = "bottom";
    c.textAlign = "center";
    c.lineWidth = 3.5 * s.ratio;
    c.strokeStyle = p.halo;
    c.strokeText(text, x, y - 9 * s.ratio);
    c.fillStyle = p.text;
    c.fillText(text, x, y - 9 * s.ratio);
    c.textAlign = "start";
  }
}
