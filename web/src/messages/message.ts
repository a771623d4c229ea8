// Message is the client's copy of a text that a ship or station sent, or of what changed of a ship, and its words.
import { title } from "../ship";
import { draught } from "../text/figures";
import { learn, t } from "../text/text";
import { parseTime } from "../time";
import de from "./de.json";
import en from "./en.json";

learn({ en, de });

/** Kind is what a message is about. */
export type Kind = "broadcast" | "addressed" | "off_position" | "on_position" | "status" | "destination" | "draught" | "lost" | "found";

/** Station is a ship or a station by its number, and its name where that is known. */
export interface Station {
  mmsi: number;
  name?: string;
}

/** Message is one of them; time is in Unix milliseconds. */
export interface Message extends Station {
  id: number;
  kind: Kind;
  time: number;
  count: number;
  to?: Station;
  text?: string;
  was?: string | number;
  now?: string | number;
}

/** MessagesOfAPI are messages as the live stream gives them. */
export interface MessagesOfAPI {
  whole?: boolean;
  records: (Omit<Message, "time" | "count"> & { time: string; count?: number })[];
  gone: number[];
}

/** messageOf reads a record of the server. */
export const messageOf = (r: MessagesOfAPI["records"][number]): Message => ({ ...r, time: parseTime(r.time), count: r.count ?? 1 });

/** isText tells a text, or an aid off its position, from a change of a ship. */
export const isText = (m: Message): boolean => ["broadcast", "addressed", "off_position", "on_position"].includes(m.kind);

/** wordsOf gives what a message says, in plain text. */
export function wordsOf(m: Message): string {
  const { kind, text = "", to } = m;
  switch (kind) {
    case "broadcast":
      return text;
    case "addressed":
      return to ? t("messages.to", { to: title(to), text }) : t("messages.toOther", { text });
    case "status":
      return t("messages.change", { was: t("status." + m.was), now: t("status." + m.now) });
    case "draught":
      return t("messages.draught", { was: draught(Number(m.was)), now: draught(Number(m.now)) });
    case "destination":
      return t("messages.destination", { was: String(m.was), now: String(m.now) });
    default:
      return t("messages." + kind);
  }
}
