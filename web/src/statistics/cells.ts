// Charts of cells: rows by the hour and the day of the week, and by the course of the ships.
import { wall } from "../text/clock";
import type { Row } from "./row";

/** Cells are the parts of such a chart: 7 days of 24 hours from Monday on, or equal parts of the compass from north on. */
export interface Cells {
  says: "week" | "compass";
  style: "cells";
  cells: Row[][];
}

const day = 24;
const slowest = 0.5; // knots: the course of a ship that lies still is chance

// sorted puts rows into cells; a row may stand in none, or in several.
function sorted(says: Cells["says"], rows: readonly Row[], n: number, cellsOf: (row: Row) => number[]): Cells {
  const cells: Row[][] = Array.from({ length: n }, () => []);
  for (const row of rows) for (const cell of new Set(cellsOf(row))) cells[cell]?.push(row);
  return { says, style: "cells", cells };
}

// weekly returns the hour of the week from Monday on, as the clock of the user shows it.
function weekly({ time }: Row): number[] {
  if (time === undefined) return [];
  const text = wall(time),
    weekday = (new Date(text.slice(0, 10)).getUTCDay() + 6) % 7;
  return [weekday * day + Number(text.slice(11, 13))];
}

const points = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"];
const parts = 16;

const coursesOf = ({ ships }: Row): number[] =>
  ships.flatMap(({ cog, sog }) => (typeof cog === "number" && (sog ?? slowest) >= slowest ? [cog] : []));

/** weekOf counts rows by hour and weekday. */
export const weekOf = (rows: readonly Row[]): Cells => sorted("week", rows, 7 * day, weekly);

/** compassOf counts rows by the courses of their ships, or by their directions; undefined where they tell neither. */
export function compassOf(rows: readonly Row[]): Cells | undefined {
  if (rows.some((row) => coursesOf(row).length > 0))
    return sorted("compass", rows, parts, (row) => coursesOf(row).map((cog) => Math.round((cog / 360) * parts) % parts));
  if (rows.some(({ of }) => points.includes(of.direction ?? "")))
    return sorted("compass", rows, points.length, ({ of }) => [points.indexOf(of.direction ?? "")]);
  return undefined;
}

/** moved returns the cell to which a key leads from one, and the same where it leads nowhere. */
export function moved({ says, cells }: Cells, from: number, key: string): number {
  const n = cells.length,
    by: Record<string, number> =
      says === "week"
        ? { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -day, ArrowDown: day }
        : { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1 };
  if (key === "Home") return 0;
  if (key === "End") return n - 1;
  return by[key] === undefined ? from : (from + by[key] + n) % n;
}
