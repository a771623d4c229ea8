// Ports are those that the map marks, those that the search finds, and what the map shows of the port that is open.
import { send } from "./api";
import type { Desk } from "./desk";
import type { ListedPort } from "./contract";
import type { MapShape } from "./map/shapes";
import type { Quays } from "./quays";
import type { Session } from "./session";
import { normal } from "./geometry";

const nearest = 8; // the zoom from which on ports are marked
const close = 12; // and from which on the quays and berths of the nearest ones are shown
const wide = 14; // degrees around the middle of the map for which ports are asked
const high = 7;
const resting = 300; // milliseconds of rest before the server is asked
const most = 4; // ports that the search offers

export class Ports {
  /** pick takes a click on a shape while a port is edited, ship tells whether a ship is there too; it tells whether the click was its own. */
  pick?: (key: string, ship: boolean) => boolean;
  private box?: [number, number, number, number]; // west, south, east, north of the ports that the map has
  private timer = 0;
  private quays?: Quays;
  private found: { text: string; ports: ListedPort[] } = { text: "", ports: [] };
  private seeking = "";
  private seekTimer = 0;

  constructor(
    private readonly desk: Desk,
    private readonly session: Session,
  ) {}

  /** moved has the map mark the ports of what it shows, where that is no larger than a coast. */
  moved(): void {
    const { chart } = this.desk;
    if (!chart) return;
    chart.shapes.harbours.near = this.desk.centre.zoom >= nearest;
    this.quays?.moved();
    if (!this.quays && this.desk.centre.zoom >= close && this.session.may("view_port")) void this.openQuays();
    if (!chart.shapes.harbours.near || !this.session.may("view_port") || this.holds()) return;
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.load(), resting);
  }

  private async openQuays(): Promise<void> {
    try {
      const { Quays } = await import("./quays");
      this.quays ??= new Quays(this.desk, close);
      this.quays.moved();
    } catch {
      // the next move tries again
    }
  }

  private holds(): boolean {
    const { lon, lat } = this.desk.centre,
      box = this.box;
    return box !== undefined && Math.abs(lat - (box[1] + box[3]) / 2) < 3 && Math.abs(normal(lon - (box[0] + box[2]) / 2)) < 3;
  }

  /** load asks for the ports around the middle of the map. */
  async load(): Promise<void> {
    const lon = Math.round(this.desk.centre.lon),
      lat = Math.round(this.desk.centre.lat);
    const box: [number, number, number, number] = [lon - wide, Math.max(-90, lat - high), lon + wide, Math.min(90, lat + high)];
    try {
      const query = [normal(box[0]), box[1], normal(box[2]), box[3]].join();
      const { records } = await send<{ records: ListedPort[] }>("GET", `config/shape/port?bbox=${query}`);
      this.box = box;
      this.desk.chart?.shapes.harbours.show(records);
      this.quays?.moved();
      this.desk.chart?.redraw();
    } catch {
      this.box = undefined; // the next move asks again
    }
  }

  /** reload asks anew, after a port was changed. */
  reload(): void {
    this.quays?.forget();
    if (this.box) void this.load();
  }

  /** forget drops all, because nobody is signed in any more. */
  forget(): void {
    this.box = undefined;
    this.quays?.forget();
    this.quays = undefined;
    this.found = { text: "", ports: [] };
  }

  /** seek looks for the ports with a text in a name or LOCODE, once the typing rests. */
  seek(text: string): void {
    const wanted = text.trim();
    if (wanted === this.seeking) return;
    this.seeking = wanted;
    clearTimeout(this.seekTimer);
    if (wanted.length < 2 || wanted.length > 60 || !this.session.may("view_port")) return;
    this.seekTimer = window.setTimeout(() => {
      void findPorts(wanted, most).then(
        (ports) => {
          this.found = { text: wanted, ports };
          this.desk.changed();
        },
        () => (this.seeking = ""),
      );
    }, resting);
  }

  /** hits returns the ports that were found for a text. */
  hits(text: string): ListedPort[] {
    return this.found.text === text.trim() ? this.found.ports : [];
  }

  /** outline shows the borders and berths of a port on the map; none clears them. */
  outline(shapes: readonly MapShape[]): void {
    this.desk.chart?.shapes.showPort(shapes);
    this.desk.chart?.redraw();
  }
}

/** findPorts asks for so many ports with a text in a name or LOCODE. */
export async function findPorts(text: string, limit: number): Promise<ListedPort[]> {
  const pattern = encodeURIComponent(text.includes("*") ? text : `*${text}*`);
  return (await send<{ records: ListedPort[] }>("GET", `portserver/port/list?pattern=${pattern}&limit=${limit}`)).records;
}
