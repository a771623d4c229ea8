// Each kind of figure has one format, wherever it is shown: in card, list, tip and chart, on the map and in the forms.
import { number, t } from "./text";

/** metresPerMile is the nautical mile. */
export const metresPerMile = 1852;

/** knots is a speed where the unit stands elsewhere, as in a heading. */
export const knots = (value: number): string => number(value, 1);

/** speed is a speed in knots. */
export const speed = (value: number): string => `${knots(value)} kn`;

/** course writes degrees with three digits. */
export const course = (degrees: number): string => `${String(Math.round(degrees) % 360).padStart(3, "0")}°`;

/** turn turns the rate of AIS back into degrees a minute (ITU-R M.1371-5, table 48); ±127 tells the side only. */
export function turn(rate: number): string {
  const side = rate < 0 ? "◄" : "►";
  return Math.abs(rate) === 127 ? `${side} > 10°/min` : `${side} ${number((Math.abs(rate) / 4.733) ** 2)}°/min`;
}

/** metres is a length in whole metres. */
export const metres = (value: number): string => `${number(value)} m`;

/** size is a length and a breadth in metres. */
export const size = (length: number, width: number): string => `${number(length)} × ${number(width)} m`;

/** draught has the tenths of AIS, and hundredths where a hand wrote them. */
export const draught = (value: number): string => `${number(value, 1, 2)} m`;

/** miles returns metres as nautical miles where the unit stands elsewhere: tenths, and whole miles from 100 on. */
export const miles = (value: number): string => number(value / metresPerMile, value < 99.95 * metresPerMile ? 1 : 0);

/** measured is a distance that was measured: in metres, or from 1,000 m on in hundredths of a nautical mile. */
export const measured = (value: number): string => (Math.round(value) < 1000 ? metres(value) : exactMiles(value));

/** exactMiles returns metres in hundredths of a nautical mile. */
export const exactMiles = (value: number): string => `${number(value / metresPerMile, 2)} ${t("figure.nm")}`;

/** areaText is an area in square kilometres, or a small one in square metres. */
export const areaText = (km2: number): string => (km2 < 0.1 ? `${number(km2 * 1e6)} m²` : `${number(km2, km2 < 100 ? 2 : 0)} km²`);

/** lasting is a span of milliseconds to the minute, and from two days on to the hour. */
export function lasting(milliseconds: number): string {
  const all = Math.max(0, Math.round(milliseconds / 60e3)),
    hours = all < 2880 ? Math.floor(all / 60) : Math.round(all / 60);
  const [big, small] =
    all < 2880 ? [part("age.h", hours), part("age.min", all % 60)] : [part("age.d", Math.floor(hours / 24)), part("age.h", hours % 24)];
  return [big, small].filter(Boolean).join(" ") || t("age.min", { n: 0 });
}
const part = (unit: string, n: number): string => (n > 0 ? t(unit, { n }) : "");

/** rate is how many messages come in a second. */
export const rate = (value: number): string => number(value, value < 9.95 ? 1 : 0);

/** megabytes returns bytes in MiB where the unit stands elsewhere. */
export const megabytes = (bytes: number): string => number(bytes / 1048576, bytes < 10485760 ? 2 : 0);

/** minutes is the part of a coordinate below the degree. */
export const minutes = (value: number, decimals: number): string =>
  number(value, decimals).padStart(decimals > 0 ? decimals + 3 : 2, "0") + "'";

/** place writes a position in degrees and minutes. */
export function place(lon: number, lat: number, decimals = 3): string {
  const part = (value: number, digits: number, positive: string, negative: string): string => {
    const fine = 10 ** decimals,
      rest = Math.round(Math.abs(value) * 60 * fine),
      whole = Math.floor(rest / (60 * fine));
    return `${String(whole).padStart(digits, "0")}°${minutes(rest / fine - whole * 60, decimals)}${value < 0 ? negative : positive}`;
  };
  return `${part(lat, 2, "N", "S")} ${part(lon, 3, "E", "W")}`;
}
