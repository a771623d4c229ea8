// Ship lists as the API has them.
import type { Identity } from "../contract";
import { fold } from "../letters";
import type { Picture } from "../picture";
import { mmsiText, title } from "../ship";

/** Listed is one ship of a list: the first given of these says which ship is meant. The name beside a number is for people. */
export type Listed = Pick<Identity, "mmsi" | "imo" | "callsign" | "name">;

/** keyOf is what two entries for the same ship have in common. */
export const keyOf = (s: Listed): string =>
  s.mmsi ? "m" + s.mmsi : s.imo ? "i" + s.imo : s.callsign ? "c" + fold(s.callsign) : "n" + fold(s.name ?? "");

/** merged returns the ships of a list after my additions and removals are made to the list as others left it. */
export function merged(was: readonly Listed[], mine: readonly Listed[], theirs: readonly Listed[]): Listed[] {
  const keys = (ships: readonly Listed[]): Set<string> => new Set(ships.map(keyOf));
  const before = keys(was),
    now = keys(mine),
    there = keys(theirs);
  return [
    ...mine.filter((s) => !before.has(keyOf(s)) && !there.has(keyOf(s))),
    ...theirs.filter((s) => now.has(keyOf(s)) || !before.has(keyOf(s))),
  ];
}

/** nameOf is the name to show: as heard now, else as it stands in the list. */
export const nameOf = (picture: Picture, s: Listed): string => {
  const ship = s.mmsi ? picture.ships.get(s.mmsi) : undefined;
  return (ship?.name && title(ship)) || s.name || "";
};

/** numberOf is what tells a listed ship without a name. */
export const numberOf = (s: Listed): string => (s.mmsi ? mmsiText(s.mmsi) : s.imo ? `IMO ${s.imo}` : (s.callsign ?? ""));

/** imoValid tells whether seven digits are an IMO number: the last is the last of the weighted sum of the others. */
export const imoValid = (imo: number): boolean => {
  const digits = String(imo).split("").map(Number);
  return digits.length === 7 && digits.slice(0, 6).reduce((sum, d, i) => sum + d * (7 - i), 0) % 10 === digits[6];
};

/** readNumbers takes MMSIs and IMO numbers out of any text, as copied from a table; what is neither is told. */
export function readNumbers(text: string): { ships: Listed[]; bad: string[] } {
  const ships: Listed[] = [],
    bad: string[] = [],
    seen = new Set<string>();
  for (const [word] of text.matchAll(/[^\s,;|"']+/g)) {
    const digits = /^(?:imo|mmsi)?[:.]?(\d+)$/i.exec(word)?.[1];
    if (digits === undefined) {
      if (/\d/.test(word)) bad.push(word);
      continue;
    }
    const ship: Listed | undefined =
      digits.length === 9 || digits.length === 10
        ? { mmsi: Number(digits) }
        : imoValid(Number(digits))
          ? { imo: Number(digits) }
          : undefined;
    if (!ship) bad.push(word);
    else if (!seen.has(keyOf(ship))) {
      seen.add(keyOf(ship));
      ships.push(ship);
    }
  }
  return { ships, bad };
}

/** filterOf is the filter that shows the ships of a list alone. */
export const filterOf = (name: string): string => `shiplist = "${name.replace(/[\\"]/g, "\\$&")}"`;
