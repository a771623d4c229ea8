// Messages is the latest messages as the server tells them.
import type { LiveMessages } from "../contract";
import type { Desk } from "../desk";
import { isText, messageOf, senderOf, wordsOf, type Message } from "./message";

const most = 350; // as many as the server keeps
const first = 10 * 60e3; // milliseconds for which a text stays before changes

export class Messages {
  /** all are the messages, the latest first. */
  all: Message[] = [];
  /** said is read aloud: it changes when a text comes. */
  said = "";

  constructor(private readonly desk: Desk) {}

  /** hear takes messages of the server: all of them, or what is new. */
  hear({ whole, records, gone }: LiveMessages): void {
    const come = records.map(messageOf);
    const kept = new Map((whole ? [] : this.all).map((m) => [m.id, m]));
    const texts = whole ? [] : come.filter((m) => isText(m) && !kept.has(m.id));
    for (const m of come) kept.set(m.id, m);
    for (const id of gone) kept.delete(id);
    this.all = [...kept.values()].sort((a, b) => b.time - a.time).slice(0, most);
    if (texts.length > 0) this.said = texts.map((m) => `${senderOf(m)}: ${wordsOf(m)}`).join(", ");
    this.desk.changed();
  }

  /** clear forgets the messages: nobody is signed in. */
  clear(): void {
    this.all = [];
    this.said = "";
  }

  /** sent returns a text that we sent by its number. */
  sent(id: number): Message | undefined {
    return this.all.find((m) => m.kind === "sent" && m.id === id);
  }

  /** latest returns the one for the strip: a text of the last minutes goes before changes. */
  latest(now: number): Message | undefined {
    return this.all.find((m) => isText(m) && now - m.time < first) ?? this.all[0];
  }

  /** of returns the texts that a ship sent, or that are for it. */
  of(mmsi: number): Message[] {
    return this.all.filter((m) => isText(m) && (m.mmsi === mmsi || m.to?.mmsi === mmsi));
  }
}
