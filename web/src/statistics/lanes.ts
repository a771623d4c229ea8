// The lateral distribution of a passage line: what the server tells of it, and the paths that draw it.
import type { LateralDistribution } from "../contract";

/** Spread is where ships of a group crossed the line one way. */
export type Spread = LateralDistribution["spreads"][number];

/** By is what ships are told apart by. */
export type By = "" | "type" | "length" | "draught" | "hour";

/** Lanes is the chart of a lateral distribution, which is asked of the server. */
export interface Lanes {
  says: "lanes";
  style: "lanes";
}

/** The size of the drawing, in its own units. */
export const size = { width: 480, half: 62, middle: 70 };

const samples = 9; // of a bin

// expected is how many ships a mixture expects in a bin about a place.
function expected({ count, mixture }: Spread, bin: number, middle: number): number {
  let sum = 0;
  for (let i = 0; i < samples; i++) {
    const at = middle + bin * ((i + 0.5) / samples - 0.5);
    for (const { weight, mean, deviation } of mixture)
      sum += (weight * Math.exp(-(((at - mean) / deviation) ** 2) / 2)) / (deviation * Math.sqrt(2 * Math.PI));
  }
  return (count * bin * sum) / samples;
}

/** tallest is the most ships in a bin of some spreads. */
export const tallest = (spreads: readonly Spread[]): number => Math.max(1, ...spreads.flatMap(({ counts }) => counts));

const x = (at: number, length: number): number => (length > 0 ? (at / length) * size.width : 0);
const round = (n: number): string => String(Math.round(n * 10) / 10);

// up is the side of a way: ships that pass from left to right stand above the line.
const up = ({ direction_flag }: Spread): number => (direction_flag ? -1 : 1);

/** barsOf draws the ships of a way as bars on its side of the line, one path for all. */
export function barsOf(spread: Spread, { length, bin }: LateralDistribution, most: number): string {
  return spread.counts
    .map((n, i) => {
      if (n === 0) return "";
      const from = x(i * bin, length) + 0.5,
        to = x(Math.min(length, (i + 1) * bin), length) - 0.5;
      return `M${round(from)} ${size.middle}v${round(up(spread) * (n / most) * size.half)}h${round(Math.max(1, to - from))}V${size.middle}z`;
    })
    .join("");
}

/** curveOf draws what the mixture of a way expects. It is never higher than the drawing. */
export function curveOf(spread: Spread, { length, bin }: LateralDistribution, most: number): string {
  const steps = 160,
    points: string[] = [];
  for (let i = 0; i <= steps; i++) {
    const at = (length * i) / steps,
      high = Math.min(1.1, expected(spread, bin, at) / most);
    points.push(`${round(x(at, length))} ${round(size.middle + up(spread) * high * size.half)}`);
  }
  return "M" + points.join("L");
}

/** groupsOf returns the groups of an answer in their order, each with its ways; the first is all ships. */
export function groupsOf(spreads: readonly Spread[]): Spread[][] {
  const groups = new Map<string, Spread[]>();
  for (const spread of spreads) {
    const key = JSON.stringify(spread.group ?? "");
    groups.set(key, [...(groups.get(key) ?? []), spread]);
  }
  return [...groups.values()];
}
