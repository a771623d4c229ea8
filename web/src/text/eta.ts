import type { Ship } from "../ship";
import { wall, zone } from "./clock";

/** etaText is the ETA that the crew typed, to the minute; AIS gives no seconds. Without an hour it is a date. */
export function etaText({ eta }: Ship): string | undefined {
  if (!eta) return undefined;
  if (!eta.includes("T")) return eta.slice(5);
  const time = Date.parse(eta.slice(0, 16) + "Z");
  return `${wall(time).slice(5, 16).replace("T", " ")} ${zone(time)}`;
}
