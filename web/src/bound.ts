// Which port a crew means by the destination that it typed. The server reads the text; see docs/voyage.md.
import { send } from "./api";
import type { PortName, Ship } from "./contract";
import { plain } from "./letters";

/** askPort returns the name of the port that the destination of a ship means, "" for none, and when the server knows another destination. */
export const askPort = async (mmsi: number, destination: string, signal: AbortSignal): Promise<string> =>
  (await announcedPort(mmsi, destination, signal))?.name || "";

/** announcedPort is askPort for the whole port; undefined for none. */
export async function announcedPort(mmsi: number, destination: string, signal: AbortSignal): Promise<PortName | undefined> {
  const info = await send<Ship>("GET", `portserver/ship/info/${mmsi}`, undefined, signal);
  const same = info.mmsi === mmsi && info.destination?.trim() === destination.trim();
  return same ? info.destination_port : undefined;
}

// Letters and digits alone: "LE-HAVRE" says "Le Havre".
const bare = (text: string): string => plain(text).replace(/[^\p{L}\p{N}]/gu, "");

/** says tells whether a destination already has the name of its port, or a part of it: "HELSINKI" of "Helsingfors (Helsinki)". */
export function says(destination: string, name: string): boolean {
  const text = bare(destination);
  return name.split(/ \(ex |[(),/]/).some((part) => bare(part) !== "" && text.includes(bare(part)));
}
