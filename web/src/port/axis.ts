// Axis is the line of time on which the ships of a port stand.

/** Axis is a span of time, in Unix milliseconds. */
export interface Axis {
  from: number;
  to: number;
}

const hour = 3600e3;

/** at gives where a time stands on an axis: 0 at its begin, 1 at its end, and no farther. */
export const at = ({ from, to }: Axis, time: number): number => Math.min(1, Math.max(0, (time - from) / (to - from)));

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

/** ticks gives the times on an axis at whole steps of hours by the clock on the wall, which is so many milliseconds ahead of UTC. */
export function ticks({ from, to }: Axis, hours: number, ahead: number): number[] {
  const step = hours * hour,
    all: number[] = [];
  for (let time = Math.ceil((from + ahead) / step) * step - ahead; time <= to; time += step) all.push(time);
  return all;
}
