// Quays are the berths and inner shapes of the ports in sight, on a map that is near enough for them.
import type { Desk } from "./desk";
import type { ListedPort } from "./contract";
import type { MapShape } from "./map/shapes";
import { loadPort } from "./port/model";
import { quaysOf } from "./port/outline";
import { distance } from "./geometry";

const resting = 300; // milliseconds of rest before the server is asked
const far = 12e3; // metres from the middle of the map: the quays of a port that is farther away lie beyond its edges
const most = 3; // ports at once
const kept = 30; // ports whose quays are remembered

export class Quays {
  private timer = 0;
  private shown = "";
  private readonly known = new Map<number, MapShape[]>();

  /** The quays are shown from a zoom on. */
  constructor(
    private readonly desk: Desk,
    private readonly from: number,
  ) {}

  /** moved shows the quays of what the map shows now, once it rests. */
  moved(): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.show(), resting);
  }

  /** forget drops all, after a change of a port or of the user. */
  forget(): void {
    clearTimeout(this.timer);
    this.known.clear();
    this.draw([]);
  }

  private async show(): Promise<void> {
    const ports = this.near();
    try {
      await Promise.all(ports.filter((port) => !this.known.has(port.id)).map((port) => this.load(port.id)));
    } catch {
      return; // the next move asks again
    }
    if (this.near().some((port, i) => port.id !== ports[i]?.id)) return this.moved(); // it moved on meanwhile
    this.draw(ports);
  }

  private async load(id: number): Promise<void> {
    const shapes = quaysOf(await loadPort(String(id)));
    const [oldest] = this.known.keys();
    if (this.known.size >= kept && oldest !== undefined) this.known.delete(oldest);
    this.known.set(id, shapes);
  }

  private draw(ports: readonly ListedPort[]): void {
    const shapes = ports.flatMap((port) => this.known.get(port.id) ?? []);
    const key = ports.map((port) => port.id).join();
    if (key === this.shown && shapes.length === 0) return;
    this.shown = key;
    this.desk.chart?.shapes.showQuays(shapes);
    this.desk.chart?.redraw();
  }

  // near returns the ports whose quays are to be shown, the nearest first.
  private near(): ListedPort[] {
    const { chart, centre } = this.desk;
    if (!chart || centre.zoom < this.from) return [];
    const away = ({ position }: ListedPort): number => distance([centre.lon, centre.lat], position!.coordinates);
    const ports = chart.shapes.harbours.ports.filter((port) => away(port) < far);
    return ports.sort((a, b) => away(a) - away(b)).slice(0, most);
  }
}
