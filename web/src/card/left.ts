import type { App } from "../app";
import type { Ship } from "../ship";
import { place } from "../text/figures";
import { t } from "../text/text";
import { when } from "../text/clock";

/** leftText says of a ship that left the picture when it was last heard, and where it was; undefined of any other. */
export function leftText(app: App, ship: Ship): string | undefined {
  if (ship.signal !== "removed") return undefined;
  const time = ship.time ? when(ship.time, app.picture.now(), false) : "–";
  if (ship.lon === undefined || ship.lat === undefined) return t("left.nowhere", { time });
  return t("left.at", { time, place: place(ship.lon, ship.lat) });
}
