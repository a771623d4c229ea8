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

/** csvOf writes the rows with their columns, the numbers of the ships first. Times are UTC. */
export function csvOf(columns: readonly Column[], rows: readonly Row[]): string {
  const lines = rows.map((row) => [
    row.ships.map(({ mmsi }) => mmsiText(mmsi)).join(" "),
    ...columns.map((column) => (column.file ?? column.text)(row)),
  ]);
  return linesOf([["MMSI", ...columns.map((column) => column.heading)], ...lines]);
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
