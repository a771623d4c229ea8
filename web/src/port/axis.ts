// Axis is the line of time on which the ships of a port stand.

/** Axis is a span of time, in Unix milliseconds. */
export interface Axis {
  from: number;
  to: number;
  /** bend is the time at its middle, where the hours before it have more room than those after. */
  bend?: number;
}

const hour = 3600e3;

/** at returns where a time stands on an axis: 0 at its begin, 1 at its end, and no farther. */
export function at({ from, to, bend }: Axis, time: number): number {
  const within = (begin: number, end: number): number => Math.min(1, Math.max(0, (time - begin) / (end - begin)));
  return bend === undefined ? within(from, to) : (within(from, bend) + within(bend, to)) / 2;
}

/** Bar is where a span stands on an axis; early and late tell that it goes on beyond. */
export interface Bar {
  left: number;
  width: number;
  early: boolean;
  late: boolean;
}

/** barOf places a span on an axis. Without a begin it came before the axis. */
export function barOf(axis: Axis, from: number | undefined, to: number): Bar {
  const left = at(axis, from ?? -Infinity);
  return { left, width: at(axis, to) - left, early: from === undefined || from < axis.from, late: to > axis.to };
}

/** ahead is the axis of what is to come: the next six hours take half of it, as much as the 42 hours after them. */
export const ahead = (now: number): Axis => ({ from: now, to: now + 48 * hour, bend: now + 6 * hour });

/** marks returns the times that stand on the axis of what is to come: each second hour to its bend, and each twelfth after it. */
export const marks = ({ from, to, bend = to }: Axis, wall: number): number[] => [
  ...ticks({ from, to: bend - hour }, 2, wall), // the last of them would stand in the way of the first after it
  ...ticks({ from: bend, to }, 12, wall),
];

/** ticks returns the times on an axis at whole steps of hours by the clock on the wall, which is so many milliseconds ahead of UTC. */
export function ticks({ from, to }: Axis, hours: number, wall: number): number[] {
  const step = hours * hour,
    all: number[] = [];
  for (let time = Math.ceil((from + wall) / step) * step - wall; time <= to; time += step) all.push(time);
  return all;
}
