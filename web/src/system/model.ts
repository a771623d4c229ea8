// What the box says of itself, and the words for it.
import type { Notice } from "../contract";
import { megabytes } from "../text/figures";
import { known, number, t } from "../text/text";

const gibibyte = 2 ** 30;
const day = 86400e3;

/** bytesText is a size in MiB, or in GiB from one on. */
export const bytesText = (bytes: number): string =>
  bytes < gibibyte ? `${megabytes(bytes)} MiB` : `${number(bytes / gibibyte, bytes < 10 * gibibyte ? 1 : 0)} GiB`;

/** daysLeft is how many whole days there are until a time; below 0 it has passed. */
export const daysLeft = (until: string, now: number): number => Math.floor((Date.parse(until) - now) / day);

/** reasonsText writes counts by reason, the most first: "12 checksum, 3 length". */
export const reasonsText = (counts: Record<string, number> | undefined): string =>
  Object.entries(counts ?? {})
    .filter(([, n]) => n > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([reason, n]) => `${number(n)} ${known("sysreason." + reason) || reason.replaceAll("_", " ")}`)
    .join(", ");

/** total sums counts. */
export const total = (counts: Record<string, number> | undefined): number => Object.values(counts ?? {}).reduce((sum, n) => sum + n, 0);

/** remedyText says what to do about a notice; "" where nothing is known. */
export const remedyText = (notice: Notice): string => known("remedy." + notice.rule);

/** valueText writes the value of a key as the configuration file has it. A text that is empty stands as two quotes. */
export const valueText = (value: unknown): string => (typeof value === "string" && value !== "" ? value : JSON.stringify(value));

/** fromText says where a value comes from. */
export const fromText = (from: string): string => known("sysfrom." + from) || from;

/** retentionText says how long the history is kept. */
export const retentionText = (seconds: number): string =>
  seconds === 0 ? t("sys.forever") : t("sys.days", { n: number(Math.round(seconds / 86400)) });
