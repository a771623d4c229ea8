// The ships that are near somebody in distress.
import { Lost, Placed, type Picture } from "../picture";
import { bearing, distance, type Place } from "../geometry";
import { callsAtPorts, type Ship } from "../ship";

const most = 3; // ships that are named
const reach = 50 * 1852; // metres: a ship farther away is no help that is near

/** Help is a ship near a place: how far it is, in metres, and where it is seen from there, in degrees true. */
export interface Help {
  ship: Ship;
  far: number;
  toward: number;
}

/** helpFor returns the ships that are nearest to a place, without the one that calls: ships that are heard, and no stations or devices. */
export function helpFor(picture: Picture, at: Place, self: number): Help[] {
  const found: Help[] = [];
  for (let i = 0; i < picture.top; i++) {
    const ship = picture.bySlot[i];
    if (!ship || !(picture.flags[i] & Placed) || picture.flags[i] & Lost || ship.mmsi === self || !callsAtPorts(ship)) continue;
    if (Math.abs(ship.lat! - at[1]) * 111e3 > reach) continue;
    const there: Place = [ship.lon!, ship.lat!],
      far = distance(at, there);
    if (far > Math.min(reach, found[most - 1]?.far ?? reach)) continue;
    found.push({ ship, far, toward: bearing(at, there) });
    found.sort((a, b) => a.far - b.far).splice(most);
  }
  return found;
}
