// Picture is the client's traffic picture: every ship by MMSI, and beside it flat arrays by slot that the map draws from
// without touching an object. Slots are used again, arrays only grow by doubling, so that a watch of many hours does not
// grow the heap.
import type { AreaShip } from "./contract";
import { groups } from "./palette";
import { groupOf, bow, isHollow, type Ship } from "./ship";
import { searchText } from "./query";
import { parseTime } from "./time";

/** RecordOfAPI is a ship as the live stream gives it: the fields that changed, null for what is not known any more. */
export type RecordOfAPI = Pick<AreaShip, "mmsi"> & { [Field in keyof AreaShip]?: AreaShip[Field] | null };

/** The bits of Picture.flags. */
export const Placed = 1,
  Lost = 2,
  Moving = 4,
  ClassB = 8,
  Shown = 16,
  Hollow = 32,
  OffPlace = 64,
  Entered = 128;

const mercatorScale = (6378137 * Math.PI) / 180;
/** mercatorX and mercatorY are the EPSG:3857 coordinates in metres. */
export const mercatorX = (lon: number): number => lon * mercatorScale;
export const mercatorY = (lat: number): number =>
  6378137 * Math.log(Math.tan(Math.PI / 4 + (Math.max(-85.05, Math.min(85.05, lat)) * Math.PI) / 360));

const noBow = 255;
const copied = new Set(
  (
    "imo name callsign type type_code length width dim_a dim_b dim_c dim_d destination eta country country_code class " +
    "draught nav_status nav_status_text heading rot altitude off_position virtual feed dwt gt signal aid_type mother_ship " +
    "source note conflict"
  ).split(" "),
);
const groupNumber = new Map(groups.map((name, i) => [name, i]));
const searched = new Set(["name", "callsign", "imo"]);

export class Picture {
  readonly ships = new Map<number, Ship>();
  /** By slot; a slot that is not Placed is empty or has no place. */
  x = new Float64Array(1024);
  y = new Float64Array(1024);
  bow = new Uint8Array(1024); // 0..71 steps of 5 degrees, 255 unknown
  group = new Uint8Array(1024);
  flags = new Uint8Array(1024);
  label = new Float32Array(1024); // width of the label in pixels, 0 not yet measured
  bySlot: (Ship | undefined)[] = [];
  /** The slots in use all lie below top. */
  top = 0;
  /** version counts the changes; listed counts those that change which ships there are. */
  version = 0;
  /** The server's time at the last message, Unix milliseconds. */
  time = 0;
  private heardAt = 0;
  private free: number[] = [];

  /** now is the picture's own time: the server's, running on by this browser's clock since the last message. */
  now(): number {
    return this.time === 0 ? Date.now() : this.time + (performance.now() - this.heardAt);
  }

  /** tell takes the server's time of a message. */
  tell(time: string | undefined): void {
    const t = time ? Date.parse(time) : NaN;
    if (Number.isNaN(t)) return;
    this.time = t;
    this.heardAt = performance.now();
  }

  /** replace makes the records the whole picture; ships that stay keep their slots. */
  replace(records: RecordOfAPI[]): void {
    const kept = new Set<number>();
    for (const record of records) kept.add(record.mmsi);
    for (const mmsi of [...this.ships.keys()]) if (!kept.has(mmsi)) this.remove(mmsi);
    for (const record of records) {
      const known = this.ships.get(record.mmsi);
      if (known) for (const field of copied) delete (known as unknown as Record<string, unknown>)[field];
      this.merge(record);
    }
    this.version++;
  }

  /** change merges changed fields and removes the ships that are gone. */
  change(records: RecordOfAPI[], gone: number[]): void {
    for (const record of records) this.merge(record);
    for (const mmsi of gone) this.remove(mmsi);
    this.version++;
  }

  private merge(record: RecordOfAPI): void {
    let ship = this.ships.get(record.mmsi);
    let search = false,
      regroup = false;
    if (!ship) {
      ship = { slot: this.take(), mmsi: record.mmsi, time: 0, group: "other", text: "" };
      this.ships.set(record.mmsi, ship);
      this.bySlot[ship.slot] = ship;
      search = regroup = true;
    }
    const target = ship as unknown as Record<string, unknown>,
      fields: Record<string, unknown> = record;
    for (const field in record) {
      if (!copied.has(field)) continue;
      const given = fields[field] ?? undefined;
      const value = typeof given === "string" ? given.trim() : given; // some crews type blanks before a name
      if (target[field] === value) continue;
      target[field] = value;
      if (searched.has(field)) search = true;
      if (field === "class" || field === "type_code") regroup = true;
    }
    if (record.position) this.place(ship, record.position);
    else if (record.position === null) ship.lon = ship.lat = undefined; // the register's place was taken back
    if (record.heard) ship.time = Math.max(ship.time, parseTime(record.heard));
    if (regroup) ship.group = groupOf(ship.class, ship.type_code);
    if (search) {
      ship.text = searchText(ship);
      this.label[ship.slot] = 0;
    }
    this.flatten(ship);
  }

  private place(ship: Ship, { coordinates: at, untrusted }: NonNullable<RecordOfAPI["position"]>): void {
    ship.untrusted = untrusted;
    ship.lon = at[0];
    ship.lat = at[1];
    if (at[2]) ship.time = ship.fixTime = parseTime(at[2]);
    ship.cog = at[3] ?? undefined;
    ship.sog = at[4] ?? undefined;
  }

  private flatten(ship: Ship): void {
    const i = ship.slot;
    let flags = this.flags[i] & Shown;
    if (ship.lon !== undefined && ship.lat !== undefined) {
      this.x[i] = mercatorX(ship.lon);
      this.y[i] = mercatorY(ship.lat);
      flags |= Placed;
    }
    if (ship.signal === "lost" || ship.signal === "removed") flags |= Lost;
    if ((ship.sog ?? 0) >= 0.5) flags |= Moving;
    if (ship.class === "B") flags |= ClassB;
    if (isHollow(ship)) flags |= Hollow;
    if (ship.off_position) flags |= OffPlace;
    if (ship.source === "register") flags |= Entered;
    this.flags[i] = flags;
    this.group[i] = groupNumber.get(ship.group)!;
    const degrees = bow(ship);
    this.bow[i] = degrees === undefined ? noBow : Math.round(degrees / 5) % 72;
  }

  private remove(mmsi: number): void {
    const ship = this.ships.get(mmsi);
    if (!ship) return;
    this.ships.delete(mmsi);
    this.flags[ship.slot] = 0;
    this.bySlot[ship.slot] = undefined;
    this.free.push(ship.slot);
  }

  private take(): number {
    const reused = this.free.pop();
    if (reused !== undefined) {
      this.flags[reused] = Shown;
      this.label[reused] = 0;
      return reused;
    }
    if (this.top === this.x.length) this.grow();
    this.flags[this.top] = Shown;
    return this.top++;
  }

  private grow(): void {
    const size = this.x.length * 2;
    const larger = <T extends Float64Array | Float32Array | Uint8Array>(of: T): T => {
      const next = new (of.constructor as new (n: number) => T)(size);
      next.set(of as never);
      return next;
    };
    this.x = larger(this.x);
    this.y = larger(this.y);
    this.bow = larger(this.bow);
    this.group = larger(this.group);
    this.flags = larger(this.flags);
    this.label = larger(this.label);
  }
}
