// Harbours draws the ports on the map: a mark and a name each, where the map shows a coast or less.
import type { ListedPort } from "../contract";
import type { Labels } from "../labels";
import type { Palette } from "../palette";
import { mercatorX, mercatorY } from "../picture";
import { across, down, type Screen } from "./view";

const half = 5; // pixels of a mark

/** portKey is the key under which the map names a port. */
export const portKey = (id: number): string => `port:${id}`;

/** portOf reads the key of a port; undefined of other shapes. */
export const portOf = (key: string): string | undefined => (key.startsWith("port:") ? key.slice(5) : undefined);

interface Mark {
  port: ListedPort;
  key: string;
  name: string;
  x: number;
  y: number;
}

export class Harbours {
  /** near is true where the map is near enough for marks. */
  near = false;
  private marks: Mark[] = [];
  private drawn: { port: ListedPort; key: string; x: number; y: number }[] = [];

  /** show takes the ports to mark. */
  show(ports: readonly ListedPort[]): void {
    this.marks = ports.flatMap((port) => {
      const { id, name, position } = port;
      return position
        ? [{ port, key: portKey(id), name, x: mercatorX(position.coordinates[0]), y: mercatorY(position.coordinates[1]) }]
        : [];
    });
  }

  /** ports returns those that have a mark. */
  get ports(): ListedPort[] {
    return this.marks.map(({ port }) => port);
  }

  /** paint draws the marks, and the names for which there is room. */
  paint(c: CanvasRenderingContext2D, s: Screen, p: Palette, labels: Labels, names: [number, number, number, number][]): void {
    this.drawn = [];
    if (!this.near) return;
    c.font = `${11 * s.ratio}px system-ui, sans-serif`;
    c.textBaseline = "middle";
    c.lineJoin = "round";
    for (const { port, key, name, x, y } of this.marks) {
      const at = [across(s, x), down(s, y)] as const;
      if (at[0] < 0 || at[1] < 0 || at[0] > s.width || at[1] > s.height) continue;
      this.drawn.push({ port, key, x: at[0] / s.ratio, y: at[1] / s.ratio });
      mark(c, at[0], at[1], s.ratio, p);
      const left = at[0] + (half + 4) * s.ratio,
        h = 8 * s.ratio;
      const box: [number, number, number, number] = [left, at[1] - h, left + c.measureText(name).width, at[1] + h];
      if (!labels.place(...box)) continue;
      names.push(box);
      c.strokeStyle = p.halo;
      c.lineWidth = 3 * s.ratio;
      c.strokeText(name, left, at[1]);
      c.fillStyle = p.gridText;
      c.fillText(name, left, at[1]);
    }
  }

  /** at returns the key of the port whose mark lies at a place of the canvas, in CSS pixels. */
  at(x: number, y: number, reach: number): string | undefined {
    return this.markAt(x, y, reach)?.key;
  }

  /** portAt returns the port itself. */
  portAt(x: number, y: number, reach: number): ListedPort | undefined {
    return this.markAt(x, y, reach)?.port;
  }

  private markAt(x: number, y: number, reach: number) {
    return this.drawn.find((one) => Math.abs(one.x - x) <= half + reach && Math.abs(one.y - y) <= half + reach);
  }
}

// mark is a square with a bollard in it.
function mark(c: CanvasRenderingContext2D, x: number, y: number, ratio: number, p: Palette): void {
  const r = half * ratio;
  c.fillStyle = p.halo;
  c.strokeStyle = p.gridText;
  c.lineWidth = 1.5 * ratio;
  c.beginPath();
  c.rect(x - r, y - r, 2 * r, 2 * r);
  c.fill();
  c.stroke();
  c.beginPath();
  c.moveTo(x - r / 2, y - r / 3);
  c.lineTo(x + r / 2, y - r / 3);
  c.moveTo(x, y - r / 3);
  c.lineTo(x, y + r / 2);
  c.stroke();
}
