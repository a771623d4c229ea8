// What the box says of itself, and the words for it.
import type { BoxNotice } from "../api";
import type { Feed } from "../feeds";
import { megabytes } from "../text/figures";
import { known, number, t } from "../text/text";

/** FeedState is a feed as the status has it. */
export interface FeedState extends Feed {
  url?: string;
  lines: number;
  other_sentences: number;
  alarms?: string[];
}

/** Output is an outgoing stream. */
export interface Output {
  name: string;
  url: string;
  format: string;
  open: boolean;
  error?: string;
  messages: number;
  dropped: Record<string, number>;
  subscribers: { user: string }[];
}

/** Status is what /api/status answers, as far as the page shows it. */
export interface Status {
  time: string;
  started: string;
  uptime_s: number;
  version: { version: string; commit?: string; built?: string; go?: string };
  notices: BoxNotice[];
  ships: number;
  feeds: FeedState[];
  picture: { reports: number; unconfirmed: number; rejected: Record<string, number>; behind_s: number };
  store: {
    db_bytes: number;
    log_bytes: number;
    disk_bytes?: number;
    disk_free_bytes?: number;
    retention_s: number;
    oldest?: string;
    last_sync?: string;
    dropped: number;
    read_only?: string;
    damaged?: Record<string, number>;
  };
  backup?: {
    to: string;
    every_s: number;
    keep: number;
    files: number;
    newest?: string;
    bytes: number;
    result: string;
    late: boolean;
    error?: string;
  };
  https?: { port?: number; not_after?: string; ca_fingerprint?: string };
  plain_sign_ins: number;
  watchdogs: { watching: number; idle: number; paused: number; alarms: number; events: number; events_lost: number };
  live: { clients: number; dropped: number };
  outputs: Output[];
  memory: { heap: number };
  channels: Way[];
  passages_exceeded?: Exceeded[];
}

/** Exceeded is a limit of a passage beyond which ships sailed through it, in metres. */
export interface Exceeded {
  passage: string;
  limit: "draught" | "length" | "beam" | "air";
  max: number;
  largest: number;
  ships: number;
  last: string;
}

/** Way is a way out of notices that the configuration has, and its name where it has several of the kind. */
export interface Way {
  channel: "mail" | "sms" | "webhook" | "mqtt";
  name?: string;
}

/** Key is a key of the configuration in force. */
export interface Key {
  key: string;
  value: unknown;
  from: string;
}

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
export const remedyText = (notice: BoxNotice): string => known("remedy." + (notice.rule ?? ""));

/** valueText writes the value of a key as the configuration file has it. A text that is empty stands as two quotes. */
export const valueText = (value: unknown): string => (typeof value === "string" && value !== "" ? value : JSON.stringify(value));

/** fromText says where a value comes from. */
export const fromText = (from: string): string => known("sysfrom." + from) || from;

/** retentionText says how long the history is kept. */
export const retentionText = (seconds: number): string =>
  seconds === 0 ? t("sys.forever") : t("sys.days", { n: number(Math.round(seconds / 86400)) });
