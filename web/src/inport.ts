// InPort knows in which port each ship is and at which berth it lies, while somebody looks.
import { send } from "./api";
import type { ShipInPort } from "./contract";
import { portText } from "./portname";

const refresh = 30e3; // milliseconds between two questions
const stale = 120e3; // after which an answer no longer counts
const most = 5; // pages of an answer

/** Lying is the port of a ship, and its berth where that is known. */
export interface Lying {
  port: string;
  berth?: string;
}

export class InPort {
  /** version grows with each answer. */
  version = 0;
  private ships = new Map<number, Lying>();
  private asked = -Infinity;
  private answered = -Infinity;
  private asking = false;

  /** The ships are asked for by ask; changed is called when there is an answer. */
  constructor(
    private readonly ask: () => Promise<ShipInPort[]>,
    private readonly changed: () => void,
  ) {}

  /** known is true while there is an answer that is not too old. */
  get known(): boolean {
    return this.answered > -Infinity;
  }

  /** of tells where a ship lies; undefined for a ship at sea. */
  readonly of = ({ mmsi }: { mmsi: number }): Lying | undefined => this.ships.get(mmsi);

  /** look asks the server when the last question is half a minute old. Whoever shows the ports calls it again and again, by a clock in milliseconds. */
  look(now: number): void {
    if (this.known && now - this.answered >= stale) this.take([], -Infinity);
    if (this.asking || now - this.asked < refresh) return;
    this.asked = now;
    this.asking = true;
    void this.ask()
      .then(
        (ships) => this.take(ships, now),
        () => {}, // the next question may be answered
      )
      .finally(() => (this.asking = false));
  }

  private take(ships: readonly ShipInPort[], at: number): void {
    this.ships = new Map(ships.map(({ mmsi, port, berth }) => [mmsi, { port: portText(port), berth: berth?.name || undefined }]));
    this.answered = at;
    this.version++;
    this.changed();
  }
}

/** loadInPort asks for the ships that are in port. */
export async function loadInPort(): Promise<ShipInPort[]> {
  const all: ShipInPort[] = [];
  for (let page = 0; page < most; page++) {
    const query = all.length > 0 ? `?offset=${all.length}` : "";
    const { records, total } = await send<{ records: ShipInPort[]; total: number }>("GET", "portserver/port/ships" + query);
    all.push(...records);
    if (records.length === 0 || all.length >= total) break;
  }
  return all;
}
