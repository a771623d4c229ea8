// Ships that the picture lacks, and the store knows: they left it, or the server's filter holds them back.
import { Refusal, send } from "./api";
import type { AreaShip, Feature as FeatureOfAPI, Point } from "./contract";
import { parseTime } from "./time";
import { groupOf, type Ship } from "./ship";

/** Feature is a ship as the API gives it for GeoJSON: all that is known of it, with its signal. */
interface Feature extends Omit<FeatureOfAPI, "geometry"> {
  id: number;
  geometry: Point | null;
  properties: Record<string, unknown> & Partial<Pick<AreaShip, "class" | "type_code" | "heard">> & { time?: string };
}

// shipOf makes a ship that has no slot of the picture. Some crews type blanks before a name.
function shipOf({ id, geometry, properties: { heard, time, ...known } }: Feature): Ship {
  const [lon, lat] = geometry?.coordinates ?? [];
  const fixTime = time ? parseTime(time) : undefined;
  for (const field of ["name", "callsign", "destination"]) if (typeof known[field] === "string") known[field] = known[field].trim();
  return {
    ...known,
    mmsi: id,
    slot: -1,
    lon,
    lat,
    fixTime,
    time: heard ? parseTime(heard) : (fixTime ?? 0),
    group: groupOf(known.class, known.type_code),
    text: "",
  };
}

/** searchStore returns the ships of which the store knows that a text stands in their name, call sign or numbers; best first. */
export async function searchStore(text: string, limit: number, signal: AbortSignal): Promise<Ship[]> {
  const path = `portserver/ship/search/${encodeURIComponent(text)}?limit=${limit}&format=geojson`;
  return (await send<{ features: Feature[] }>("GET", path, undefined, signal)).features.map(shipOf);
}

/** loadShip returns all that is known of a ship; undefined of one that nobody knows, or that the user may not see. */
export async function loadShip(mmsi: number): Promise<Ship | undefined> {
  try {
    const ship = shipOf(await send<Feature>("GET", `portserver/ship/info/${mmsi}?format=geojson`));
    return ship.mmsi === mmsi ? ship : undefined; // seven digits may be the IMO number of another ship
  } catch (problem) {
    if (problem instanceof Refusal && problem.status === 404) return undefined;
    throw problem;
  }
}
