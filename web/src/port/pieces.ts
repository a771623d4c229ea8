// Pieces are the inner shapes and berths of a port, as its editor lists them and the map names them.
import { portKey } from "../map/harbours";
import type { Form, Place } from "../geometry";
import type { Berth } from "./model";

/** Kind is what a piece of a port is. */
export type Kind = "berths" | "inners" | "outer";

/** Part is the piece that is open. With pen it is being drawn. */
export interface Part {
  kind: Kind;
  at: number;
  pen?: boolean;
}

/** keyOf is the key of a piece on the map. */
export const keyOf = (port: number, kind: string, at: number): string => `${portKey(port)}/${kind}/${at}`;

/** isPiece tells whether a key is of a piece of a port. */
export const isPiece = (port: number, key: string): boolean => key.startsWith(portKey(port) + "/");

/** partOf reads such a key; undefined of what has no row in a list. */
export function partOf(port: number, key: string): Part | undefined {
  const [, kind, at] = key.split("/");
  return isPiece(port, key) && (kind === "berths" || kind === "inners") ? { kind, at: Number(at) } : undefined;
}

/** namesWithin returns for each inner shape the names of the berths that lie in it. */
export const namesWithin = (inner: readonly Form[], berths: readonly Berth[]): string[][] =>
  inner.map(({ chains: [ring = []] }) =>
    berths.flatMap(({ name, position }) => (position && encloses(ring, position.coordinates) ? [name] : [])),
  );

// encloses counts how many edges of the ring lie east of a place.
function encloses(ring: readonly Place[], [x, y]: Place): boolean {
  let inside = false;
  for (let i = 0, k = ring.length - 1; i < ring.length; k = i++) {
    const [ax, ay] = ring[i],
      [bx, by] = ring[k];
    if (ay > y !== by > y && x < ax + ((bx - ax) * (y - ay)) / (by - ay)) inside = !inside;
  }
  return inside;
}
