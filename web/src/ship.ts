// Ship is the client's copy of one area record of the API, flattened: what is not known is undefined.
import type { Conflict } from "./contract";
import type { Group } from "./palette";

/** Sighting is where one of two transmitters with the same number is, and what heard it. */
export type Sighting = Conflict[number];

/** Ship is all that is known of a ship or station; what is not known is undefined. */
export interface Ship {
  slot: number; // the place in the flat arrays of Picture
  mmsi: number;
  imo?: number;
  name?: string;
  callsign?: string;
  type?: string;
  type_code?: number;
  length?: number;
  width?: number;
  dim_a?: number;
  dim_b?: number;
  dim_c?: number;
  dim_d?: number;
  destination?: string;
  eta?: string;
  country?: string;
  country_code?: string;
  class?: string;
  draught?: number;
  nav_status?: number;
  nav_status_text?: string;
  heading?: number;
  rot?: number;
  altitude?: number;
  off_position?: boolean;
  virtual?: boolean;
  feed?: string;
  dwt?: number;
  gt?: number;
  signal?: string; // "live" or "lost"
  aid_type?: number;
  mother_ship?: number;
  source?: string; // "register" of a ship that was never heard, but entered by hand
  note?: string; // of the register
  conflict?: Conflict; // two transmitters use the number: the place of each, the ship's own first
  lon?: number;
  lat?: number;
  time: number; // Unix milliseconds of the last report, 0 when unknown
  untrusted?: true; // the receiver of the ship lies about its place
  fixTime?: number; // Unix milliseconds of the last place
  cog?: number;
  sog?: number;
  group: Group;
  text: string; // what the quick search looks in, lower case
}

const special: Record<number, Group> = {
  30: "fishing",
  31: "service",
  32: "service",
  33: "service",
  34: "service",
  35: "authority",
  36: "leisure",
  37: "leisure",
  50: "service",
  51: "authority",
  52: "service",
  53: "service",
  54: "service",
  55: "authority",
  58: "service",
  59: "other",
};

const stations: Record<string, Group> = {
  base: "base",
  coast: "base",
  aton: "aton",
  sar: "aircraft",
  sart: "distress",
  mob: "distress",
  epirb: "distress",
};

/** groupOf tells the group by class and by the AIS code of type of ship (ITU-R M.1371-5, table 53). */
export function groupOf(shipClass: string | undefined, typeCode: number | undefined): Group {
  const station = shipClass && stations[shipClass];
  if (station) return station;
  const code = typeCode ?? 0;
  if (special[code]) return special[code];
  if (code >= 20 && code < 30) return "hsc";
  if (code >= 40 && code < 50) return "hsc";
  if (code >= 60 && code < 70) return "passenger";
  if (code >= 70 && code < 80) return "cargo";
  if (code >= 80 && code < 90) return "tanker";
  return "other";
}

/** mmsiText writes an MMSI with its nine digits: that of a coast station begins with 00 (ITU-R M.585). */
export const mmsiText = (mmsi: number): string => String(mmsi).padStart(9, "0");

/** The forms of the numbers of each kind of station (ITU-R M.585). */
const forms: Record<string, RegExp> = { A: /^([2-7]|98)/, B: /^([2-7]|98)/, base: /^00/, aton: /^99/, sar: /^111/ };

/** oddNumber tells a station whose number has not the form of its class: most likely somebody typed it wrongly into the transponder. */
export const oddNumber = ({ mmsi, class: is }: { mmsi: number; class?: string }): boolean =>
  mmsi <= 999_999_999 && forms[is ?? ""]?.test(mmsiText(mmsi)) === false;

/** title is the name to show: the name, else the MMSI. */
export const title = (ship: { mmsi: number; name?: string }): string => ship.name?.trim() || mmsiText(ship.mmsi);

/** moving tells whether a ship makes way: by speed where it is known. */
export function moving(ship: Ship): boolean {
  return (ship.sog ?? 0) >= 0.5;
}

/** isHollow tells a symbol without a body: of a virtual aid to navigation, and of a device of distress under test. Its status is then the undefined 15, and
 * 14 in distress (IMO SN.1/Circ.322). */
export const isHollow = ({ virtual, group, nav_status }: Pick<Ship, "virtual" | "group" | "nav_status">): boolean =>
  virtual === true || (group === "distress" && nav_status !== 14);

/** callsAtPorts tells a ship that was heard from stations, aircraft, beacons of distress, and ships that were only entered by hand. */
export const callsAtPorts = ({ group, source }: Ship): boolean =>
  source !== "register" && group !== "base" && group !== "aton" && group !== "aircraft" && group !== "distress";

/** bow is where a ship points: the heading, else the course while the ship makes way. */
export function bow(ship: Ship): number | undefined {
  if (ship.heading !== undefined) return ship.heading;
  return ship.cog !== undefined && (ship.sog ?? 0) >= 0.3 ? ship.cog : undefined;
}

/** distanceNM is the great-circle distance in nautical miles on a sphere of 6,371,008.8 m; within 0.6 % of the ellipsoid. */
export function distanceNM(lon1: number, lat1: number, lon2: number, lat2: number): number {
  const rad = Math.PI / 180;
  const a =
    Math.sin(((lat2 - lat1) * rad) / 2) ** 2 + Math.cos(lat1 * rad) * Math.cos(lat2 * rad) * Math.sin(((lon2 - lon1) * rad) / 2) ** 2;
  return (2 * 6371008.8 * Math.asin(Math.min(1, Math.sqrt(a)))) / 1852;
}
