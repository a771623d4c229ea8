// A table as a file of comma-separated values, made in the browser.
import { mmsiText } from "../ship";
import type { Column } from "./columns";
import type { Row } from "./row";

// quoted writes a value. A spreadsheet takes text that begins like a formula for one, so it gets an apostrophe.
function quoted(value: string | number | undefined): string {
  if (value === undefined) return "";
  if (typeof value === "number") return String(Math.round(value * 1000) / 1000);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** linesOf writes the lines of a table. */
export const linesOf = (lines: readonly (string | number | undefined)[][]): string =>
  lines.map((line) => line.map(quoted).join(",") + "\r\n").join("");

/**
 * csvOf writes the rows with their columns, in front of each ship its number. A column of one ship has the numbers of all that belong to its row. Times are
 * UTC, and the headings have the units.
 */
export function csvOf(columns: readonly Column[], rows: readonly Row[]): string {
  const several = columns.some(({ ship }) => ship);
  const numberOf = (row: Row, n: number): string =>
    (several ? row.ships.slice(n, n + 1) : row.ships).map(({ mmsi }) => mmsiText(mmsi)).join(" ");
  const headings = columns.flatMap(({ heading, unit, ship }) => [
    ...(ship === undefined ? [] : [ship === 0 ? "MMSI" : `MMSI, ${heading}`]),
    unit ? `${heading}, ${unit}` : heading,
  ]);
  const lines = rows.map((row) =>
    columns.flatMap(({ file, text, ship }) => [...(ship === undefined ? [] : [numberOf(row, ship)]), (file ?? text)(row)]),
  );
  return linesOf([headings, ...lines]);
}

/** saveCSV has the browser keep a table as a file; its mark tells spreadsheets that it is UTF-8. */
export const saveCSV = (name: string, text: string): void => save(name, "text/csv;charset=utf-8", "\ufeff" + text);

/** save has the browser keep a text as a file. */
export const save = (name: string, type: string, text: string): void => saveBlob(name, new Blob([text], { type }));

/** saveBlob has the browser keep a file. */
export function saveBlob(name: string, blob: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60e3);
}
