// Message is the client's copy of a text that a ship or station sent, of one that we sent, or of what changed of a ship, and its words.
import type { Message as MessageOfAPI } from "../contract";
import { title } from "../ship";
import { draught } from "../text/figures";
import { learn, t } from "../text/text";
import { parseTime } from "../time";
import en from "./en.json";

learn({ en });

/** Kind is what a message is about. */
export type Kind = MessageOfAPI["kind"];

/** Station is a ship or a station by its number, and its name where that is known. */
export type Station = NonNullable<MessageOfAPI["to"]>;

/** State is what became of a text that we sent. */
export type State = NonNullable<MessageOfAPI["state"]>;

/** Message is one of them; time is in Unix milliseconds. One that we sent has the number 0. */
export interface Message extends Station {
  id: number;
  kind: Kind;
  time: number;
  count: number;
  to?: Station;
  text?: string;
  was?: string | number;
  now?: string | number;
  state?: State;
  reason?: string;
  by?: string;
  automatic?: boolean;
}

/** messageOf reads a record of the server. */
export const messageOf = (r: MessageOfAPI): Message => ({ ...r, mmsi: r.mmsi ?? 0, time: parseTime(r.time), count: r.count ?? 1 });

/** isText tells a text, or an aid off its position, from a change of a ship. */
export const isText = (m: Message): boolean => ["broadcast", "addressed", "off_position", "on_position", "sent"].includes(m.kind);

/** senderOf names the ship or station that a message is of, or whoever of us sent it. */
export function senderOf(m: Message): string {
  if (m.kind !== "sent") return title(m);
  return m.automatic ? t("messages.byWatchdog") : (m.by ?? t("messages.us"));
}

/** stateOf says what became of a text that we sent, and why. */
export function stateOf({ state, reason }: Pick<Message, "state" | "reason">): string {
  const words = t("sent." + state);
  return reason ? `${words} (${t("sent.why." + reason.replaceAll(" ", "_"))})` : words;
}

/** wordsOf returns what a message says, in plain text. */
export function wordsOf(m: Message): string {
  const { kind, text = "", to } = m;
  switch (kind) {
    case "broadcast":
      return text;
    case "addressed":
      return to ? t("messages.to", { to: title(to), text }) : t("messages.toOther", { text });
    case "sent":
      return `${t(to ? "messages.to" : "messages.toAll", { to: to ? title(to) : "", text })} · ${stateOf(m)}`;
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
