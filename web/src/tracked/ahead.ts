// What of a way is still ahead of a ship.
import { beside, distance, type Place } from "../geometry";

const trust = 0.25; // of a metre beside the way, for each metre that the rest of it differs from what the server told

/** aheadOf returns the way from a ship on. Where a way comes back to where it was, the metres that the server told are left decide. */
export function aheadOf(route: readonly Place[], metres: number | undefined, at: Place | undefined): Place[] {
  if (!at || route.length < 2) return [...route];
  let rest = 0,
    best = route.length,
    least = Infinity;
  for (let i = route.length - 1; i > 0; i--) {
    const long = distance(route[i - 1], route[i]),
      foot = footOf(route[i - 1], route[i], at);
    const left = rest + long * (1 - foot.part);
    const far = distance(foot.at, [beside(at[0], foot.at[0]), at[1]]) + trust * Math.abs(left - (metres ?? left));
    rest += long;
    if (far >= least) continue;
    least = far;
    best = i;
  }
  const ship: Place = [beside(at[0], route[Math.min(best, route.length - 1)][0]), at[1]];
  return [ship, ...route.slice(best)];
}

// footOf returns the place of a leg that is nearest to another, and the part of the leg before it.
function footOf([ax, ay]: Place, [bx, by]: Place, [lon, lat]: Place): { at: Place; part: number } {
  const x = beside(lon, ax),
    narrow = Math.cos(((ay + by) / 2) * (Math.PI / 180)),
    dx = (bx - ax) * narrow,
    dy = by - ay,
    long = dx * dx + dy * dy;
  const part = long === 0 ? 0 : Math.max(0, Math.min(1, ((x - ax) * narrow * dx + (lat - ay) * dy) / long));
  return { at: [ax + (bx - ax) * part, ay + (by - ay) * part], part };
}
