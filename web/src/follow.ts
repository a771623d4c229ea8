// Following keeps a ship where it is on the screen while it sails. The user may drag and zoom meanwhile; it ends when it is released.
import type { Desk } from "./desk";
import { cover } from "./cover";
import { title } from "./ship";
import { t } from "./text/text";

export class Following {
  /** mmsi is the number of the ship, 0 for none. */
  mmsi = 0;
  private at?: { lon: number; lat: number };

  constructor(private readonly desk: Desk) {}

  /** follow brings a ship into the middle and keeps it in sight. */
  follow(mmsi: number): void {
    this.mmsi = mmsi;
    this.at = undefined;
    this.tick();
    this.desk.changed();
  }

  /** release lets the ship sail on. */
  release(): void {
    const ship = this.desk.picture.ships.get(this.mmsi);
    if (this.mmsi !== 0) this.desk.say(t("follow.released", { name: title(ship ?? this) }));
    this.mmsi = 0;
    this.desk.changed();
  }

  /** tick moves the map as far as the ship has sailed; one that is out of sight comes back into the middle. */
  tick(): void {
    const { chart, picture } = this.desk,
      ship = picture.ships.get(this.mmsi);
    if (!chart || !ship || ship.lon === undefined || ship.lat === undefined || chart.busy) return;
    const at = { lon: ship.lon, lat: ship.lat };
    if (!this.at || !chart.sees(ship, cover())) chart.go(ship, false, cover());
    else if (this.at.lon !== at.lon || this.at.lat !== at.lat) chart.drift(this.at, at);
    this.at = at;
  }
}
