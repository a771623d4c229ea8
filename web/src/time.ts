// parseTime reads the API's times, "2026-11-20T09:43:05Z", milliseconds allowed, as Unix milliseconds. Thousands of them
// come each second and nearly all are of one day, so the day is remembered and the rest is arithmetic.
let day = "";
let midnight = NaN;

export function parseTime(text: string): number {
  const digit = (at: number): number => text.charCodeAt(at) - 48;
  if (!text.startsWith(day) || day === "") {
    midnight = Date.parse(text.slice(0, 10) + "T00:00:00Z");
    day = text.slice(0, 10);
  }
  const seconds = (digit(11) * 10 + digit(12)) * 3600 + (digit(14) * 10 + digit(15)) * 60 + digit(17) * 10 + digit(18);
  if (text.length === 20) return midnight + seconds * 1000;
  return Date.parse(text);
}

/** parseSpan reads a span such as 102:05:00, in milliseconds. */
export function parseSpan(text: string | undefined): number | undefined {
  if (!text) return undefined;
  const [hours, minutes, seconds] = text.split(":").map(Number);
  return ((hours * 60 + minutes) * 60 + seconds) * 1000;
}
