// Selection is the ship with the open card.
import type { Desk } from "./desk";
import type { Following } from "./follow";
import { loadShip } from "./left";
import { cover } from "./cover";
import { title, type Ship } from "./ship";
import { t } from "./text/text";
import type { Tracks } from "./tracks";
import { whyOf } from "./why";

const again = 5e3; // milliseconds after which the store is asked again when it did not answer

export class Selection {
  /** mmsi is the number of the ship, 0 for none. */
  mmsi = 0;
  /** told says why there is no ship to show; empty while there is one, or while it is asked for. */
  told = "";
  /** left is the selected ship as the store knows it, while the picture lacks it. */
  private left?: Ship;
  private asked = 0;

  constructor(
    private readonly desk: Desk,
    private readonly tracks: Tracks,
    private readonly following: Following,
  ) {}

  /** ship returns the ship: as the picture has it, else as the store knows it. */
  get ship(): Ship | undefined {
    return this.desk.picture.ships.get(this.mmsi) ?? (this.left?.mmsi === this.mmsi ? this.left : undefined);
  }

  /** select opens the card of a ship; move says whether the map goes there, moves only if the ship would be hidden, or stays. */
  select(mmsi: number, move: "go" | "uncover" | "stay" = "uncover"): void {
    this.choose(mmsi);
    this.look();
    if (this.ship) return this.show(this.ship, move);
    void this.ask().then((ship) => {
      if (ship && this.mmsi === mmsi) this.show(ship, move);
    });
  }

  private show(ship: Ship, move: "go" | "uncover" | "stay"): void {
    const { desk, following } = this;
    if (move === "go" && following.mmsi !== 0 && following.mmsi !== ship.mmsi) following.release();
    if (move === "go") desk.chart?.go(ship, true, cover());
    else if (cover() && move === "uncover") desk.chart?.uncover(ship, cover());
    desk.say(t("say.selected", { name: title(ship) }));
  }

  /** look asks the store for the selected ship when the picture has it no longer, and gives the map its last place. */
  look(): void {
    const { mmsi, desk } = this;
    const lacking = mmsi !== 0 && !desk.picture.ships.has(mmsi);
    if (!lacking) {
      this.left = undefined;
      this.asked = 0;
    } else if (desk.settled && this.left?.mmsi !== mmsi && this.asked !== mmsi) void this.ask();
    const guest = lacking ? this.ship : undefined;
    if (!desk.chart || desk.chart.painter.guest === guest) return;
    desk.chart.painter.guest = guest;
    desk.chart.draw();
  }

  private async ask(): Promise<Ship | undefined> {
    const mmsi = (this.asked = this.mmsi);
    this.told = "";
    let ship: Ship | undefined,
      why = t("card.unknown");
    try {
      ship = await loadShip(mmsi);
    } catch (problem) {
      why = whyOf(problem);
      setTimeout(() => (this.asked = 0), again);
    }
    if (mmsi !== this.mmsi) return undefined;
    this.left = ship;
    this.told = ship ? "" : why;
    this.look();
    this.desk.changed();
    return ship;
  }

  /** close closes the card. */
  close(): void {
    if (this.mmsi !== 0) this.choose(0);
  }

  private choose(mmsi: number): void {
    if (mmsi !== this.mmsi) {
      this.told = "";
      this.asked = 0;
    }
    this.mmsi = mmsi;
    const { chart } = this.desk;
    if (chart) chart.painter.look.selected = mmsi;
    this.tracks.emphasise(mmsi);
  }
}
