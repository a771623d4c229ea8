// Origin is from where the ship list measures distance and bearing.
import type { Desk } from "./desk";
import { bearing, distance, type Place } from "./geometry";
import { title, type Ship } from "./ship";
import type { From } from "./sort";
import { t } from "./text/text";

/** Start is what an origin may be: a ship, with which it moves, or a place. */
export type Start = { mmsi: number } | { place: Place };

/** Where tells what could be the origin now. */
export interface Where {
  desk: Pick<Desk, "picture" | "centre">;
  /** measured is where the ruler begins, if it lies on the map. */
  measured?: Start;
  /** selected is the MMSI of the selected ship, 0 for none. */
  selected: number;
}

export class Origin {
  private ship = 0; // the ship that was selected on the map, by a search or an address
  private passed?: number; // the ship that was selected in the list

  /** pass says that a ship is selected in the list, which would else be sorted anew at each step through it; undefined ends that. */
  pass(mmsi: number | undefined): void {
    this.passed = mmsi;
  }

  /** at returns the place, and the name of the ship or undefined: that of the ruler, else of the selected ship, else the middle of the map. */
  at({ desk, measured, selected }: Where): { place: Place; name?: string; fixed: boolean } {
    const ships = desk.picture.ships;
    if (selected !== this.passed) {
      this.ship = selected;
      this.passed = undefined;
    }
    if (measured && "place" in measured) return { place: measured.place, fixed: true };
    const ship = placed(ships.get(measured?.mmsi ?? this.ship));
    if (ship) return { place: [ship.lon, ship.lat], name: title(ship), fixed: true };
    return { place: [desk.centre.lon, desk.centre.lat], fixed: false };
  }
}

type Placed = Ship & { lon: number; lat: number };
const placed = (ship: Ship | undefined): Placed | undefined =>
  ship?.lon === undefined || ship.lat === undefined ? undefined : (ship as Placed);

/** from measures from a place: metres, and degrees true. */
export const from = (place: Place): From => ({
  distance: (s) => (placed(s) ? distance(place, [s.lon!, s.lat!]) : undefined),
  bearing: (s) => (placed(s) ? bearing(place, [s.lon!, s.lat!]) : undefined),
});

/** originText says from where distance and bearing are measured. */
export const originText = ({ name, fixed }: { name?: string; fixed: boolean }): string =>
  name ? t("list.fromShip", { name }) : t(fixed ? "list.fromPlace" : "list.fromMiddle");
