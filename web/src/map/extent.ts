// The part of the world that holds the fleet, or a track.
import type { Picture } from "../picture";
import type { Track } from "../track";
import { world } from "./view";

/** extentOf returns west, south, east, north in EPSG:3857 of the places with all the wanted flags: of ships, or of stations
 * where there is no ship. Of a fleet of more than twenty the two hundredths farthest out at each side do not count. */
export function extentOf(p: Picture, wanted: number, stations: number): [number, number, number, number] | undefined {
  let xs: number[] = [],
    ys: number[] = [];
  for (const shipsOnly of [true, false]) {
    for (let i = 0; i < p.top; i++) {
      if ((p.flags[i] & wanted) !== wanted || (shipsOnly && p.group[i] >= stations)) continue;
      xs.push(p.x[i]);
      ys.push(p.y[i]);
    }
    if (xs.length > 0) break;
  }
  if (xs.length === 0) return undefined;
  xs = unwrap(xs.sort((a, b) => a - b));
  ys = ys.sort((a, b) => a - b);
  const cut = xs.length > 20 ? Math.floor(xs.length * 0.02) : 0;
  return [xs[cut], ys[cut], xs[xs.length - 1 - cut], ys[ys.length - 1 - cut]];
}

/** extentOfTrack returns west, south, east, north of a track in EPSG:3857. */
export function extentOfTrack(track: Track): [number, number, number, number] {
  const xs = unwrap([...track.x.subarray(0, track.count)].sort((a, b) => a - b));
  let south = Infinity,
    north = -Infinity;
  for (let i = 0; i < track.count; i++) {
    south = Math.min(south, track.y[i]);
    north = Math.max(north, track.y[i]);
  }
  return [xs[0], south, xs[xs.length - 1], north];
}

// unwrap starts the sorted places behind their widest gap, so that a fleet across 180 degrees lies together.
function unwrap(xs: number[]): number[] {
  let gap = xs[0] + world - xs[xs.length - 1],
    at = 0;
  for (let i = 1; i < xs.length; i++) {
    if (xs[i] - xs[i - 1] > gap) {
      gap = xs[i] - xs[i - 1];
      at = i;
    }
  }
  return [...xs.slice(at), ...xs.slice(0, at).map((x) => x + world)];
}
