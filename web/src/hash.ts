// The state of the page in its address: copy it, paste it, see the same, in the colours of one's own light.
import { readPlan, writePlan, type Plan } from "./planner/plan";
import { read as readSpan, write as writeSpan, type Span } from "./span";

/** Address is the state that an address holds. */
export interface Address {
  view?: { lon: number; lat: number; zoom: number };
  ship?: number;
  query?: string;
  tracks?: { mmsi: number; span: Span }[]; // that are shown
  vectors?: number; // minutes
  plan?: Plan; // of the route planner
  place?: string[]; // the page or panel that is open, and what of it
  every?: number; // seconds for which the wall display shows one thing
}

/** read takes an address apart; what it cannot understand it leaves out. */
export function read(hash: string): Address {
  const fields = new URLSearchParams(hash.replace(/^#/, ""));
  const address: Address = {};
  const view = (fields.get("v") ?? "").split(",").map(Number);
  if (view.length === 3 && view.every(Number.isFinite) && Math.abs(view[1]) <= 85.05)
    address.view = { lon: view[0], lat: view[1], zoom: view[2] };
  const ship = Number(fields.get("s"));
  if (Number.isInteger(ship) && ship > 0) address.ship = ship;
  const query = fields.get("q");
  if (query) address.query = query;
  const tracks = readTracks(fields.get("t") ?? "", address.ship ?? 0);
  if (tracks.length > 0) address.tracks = tracks;
  const vectors = fields.get("c");
  if (vectors !== null && Number(vectors) >= 0 && Number(vectors) <= 60) address.vectors = Number(vectors);
  const plan = readPlan(fields);
  if (plan) address.plan = plan;
  const every = Number(fields.get("every"));
  if (every >= 1 && every <= 600) address.every = every;
  const place = (fields.get("w") ?? byName(fields))
    .split("/")
    .map(unescaped)
    .filter((part) => part !== "");
  if (place.length > 0) address.place = place;
  return address;
}

// byName returns the place of an address that begins with its name, as #port, #port/arrived and #wall, which people type and keep as a bookmark.
function byName(fields: URLSearchParams): string {
  const [name = "", value] = fields.entries().next().value ?? [];
  return value === "" && ["port", "wall"].includes(name.split("/")[0]) ? name : "";
}

// readTracks reads a list as 219018004*6,219018010*20261121T0000-20261122T0000; one without a ship is that of the ship of the address.
function readTracks(text: string, ship: number): NonNullable<Address["tracks"]> {
  return text.split(",").flatMap((each) => {
    const [mmsi, time] = each.includes("*") ? each.split("*") : [String(ship), each];
    const span = readSpan(time);
    return span && Number(mmsi) > 0 && Number.isInteger(Number(mmsi)) ? [{ mmsi: Number(mmsi), span }] : [];
  });
}

const unescaped = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
};

/** write returns the address of a state, without the "#". */
export function write(a: Address): string {
  const fields = new URLSearchParams();
  if (a.place?.length) fields.set("w", a.place.map(encodeURIComponent).join("/"));
  if (a.plan) writePlan(a.plan, fields);
  if (a.view) fields.set("v", `${a.view.lon.toFixed(5)},${a.view.lat.toFixed(5)},${a.view.zoom.toFixed(2)}`);
  if (a.ship) fields.set("s", String(a.ship));
  if (a.tracks?.length) fields.set("t", a.tracks.map(({ mmsi, span }) => (mmsi === a.ship ? "" : mmsi + "*") + writeSpan(span)).join(","));
  if (a.query) fields.set("q", a.query);
  if (a.vectors !== undefined) fields.set("c", String(a.vectors));
  if (a.every) fields.set("every", String(a.every));
  return fields.toString().replaceAll("%2C", ",").replaceAll("%2F", "/");
}
