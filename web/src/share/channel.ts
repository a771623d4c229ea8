// Channel brings the tabs of a browser without shared workers to one hub: one tab leads and holds it. When that tab is closed it says so,
// and when it is silent for three seconds, because it crashed or is frozen, another one stands for it.
//
// A tab that stands says so to all. It leads when no tab contradicts within a moment: the leader does, and any tab that stands too and
// comes before it. A tab in the background comes after one that is seen, because browsers slow it down. Should two tabs lead, the later
// term wins, then the lower name. A tab that is new knows no term and may lead by an early one, while others still wait for a leader of a
// later term that is gone. So who stands says its term, and the leader takes it: nobody waits for a leader that does not come back.
import { Hub, type Port } from "./hub";
import type { Asked, Told, Way } from "./messages";
import { addressOf, Stream } from "./stream";

/** Said is what the tabs say to all. */
type Said =
  | { kind: "stand"; from: string; rank: string; term: number }
  | { kind: "lead"; from: string; term: number }
  | { kind: "gone"; from: string }
  | { kind: "to"; from: string; leader: string; message: Asked };

/** Post is what the leader says to one tab. */
interface Post {
  from: string;
  message: Told;
}

const moment = 250; // milliseconds to contradict
const silence = 3; // seconds

export class Channel implements Way {
  private readonly name = Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  private readonly all: BroadcastChannel;
  private readonly own: BroadcastChannel;
  private leader = "";
  private term = 0;
  private standing?: ReturnType<typeof setTimeout>;
  private hub?: Hub;
  private readonly followers = new Map<string, { port: Port; channel: BroadcastChannel }>();
  private readonly self: Port;

  constructor(
    private readonly address: string,
    private readonly hear: (message: Told) => void,
    private readonly makeHub = (): Hub => new Hub((query, lastID, listener) => new Stream(addressOf(address, query), lastID, listener)),
    private readonly hidden = (): boolean => document.hidden,
  ) {
    this.self = { post: (message) => queueMicrotask(() => this.hub && hear(message)) };
    this.all = new BroadcastChannel(this.address);
    this.own = new BroadcastChannel(this.of(this.name));
    this.all.onmessage = ({ data }: MessageEvent<Said>) => this.heard(data);
    this.own.onmessage = ({ data }: MessageEvent<Post>) => {
      if (data.from === this.leader) hear(data.message);
    };
    this.stand();
  }

  send(message: Asked): void {
    if (this.hub) this.hub.hear(this.self, message);
    else if (this.leader !== "") this.say({ kind: "to", from: this.name, leader: this.leader, message });
  }

  missed(seconds: number): void {
    if (seconds >= silence && !this.hub) this.stand();
  }

  close(): void {
    clearTimeout(this.standing);
    if (this.hub) this.say({ kind: "gone", from: this.name });
    else this.send({ kind: "leave" });
    this.yield();
    this.all.close();
    this.own.close();
  }

  // of returns the name of the channel to one tab: what is for it does not wake the others.
  private of(name: string): string {
    return `${this.address} ${name}`;
  }

  private say(said: Said): void {
    this.all.postMessage(said);
  }

  private rank(): string {
    return `${this.hidden() ? 1 : 0} ${this.name}`;
  }

  private heard(said: Said): void {
    switch (said.kind) {
      case "stand":
        this.term = Math.max(this.term, said.term);
        if (this.hub) this.say({ kind: "lead", from: this.name, term: this.term });
        else if (this.standing === undefined) return;
        else if (said.rank < this.rank()) this.sit();
        else this.claim();
        return;
      case "lead":
        return this.led(said.from, said.term);
      case "gone":
        if (said.from === this.leader) this.stand();
        return;
      case "to":
        if (said.leader === this.name) this.serve(said.from, said.message);
    }
  }

  // stand asks all tabs whether this one may lead.
  private stand(): void {
    if (this.standing !== undefined) return;
    this.claim();
    this.standing = setTimeout(() => this.lead(), moment);
  }

  private claim(): void {
    this.say({ kind: "stand", from: this.name, rank: this.rank(), term: this.term });
  }

  private sit(): void {
    clearTimeout(this.standing);
    this.standing = undefined;
  }

  private lead(): void {
    this.sit();
    this.term++;
    this.leader = this.name;
    this.hub = this.makeHub();
    this.say({ kind: "lead", from: this.name, term: this.term });
    this.hear({ kind: "moved" });
  }

  // led takes another tab as the leader, unless this one leads with better right.
  private led(name: string, term: number): void {
    const later = term > this.term || (term === this.term && name < this.leader);
    if (this.hub && !later) return this.say({ kind: "lead", from: this.name, term: this.term });
    this.sit();
    if (term < this.term) return;
    this.term = term;
    if (name === this.leader) return;
    this.yield();
    this.leader = name;
    this.hear({ kind: "moved" });
  }

  // yield gives up the hub.
  private yield(): void {
    this.hub?.close();
    this.hub = undefined;
    for (const { channel } of this.followers.values()) channel.close();
    this.followers.clear();
  }

  // serve hands the hub what another tab says.
  private serve(name: string, message: Asked): void {
    if (!this.hub) return;
    let follower = this.followers.get(name);
    if (!follower) {
      const channel = new BroadcastChannel(this.of(name));
      follower = { channel, port: { post: (told) => channel.postMessage({ from: this.name, message: told } satisfies Post) } };
      this.followers.set(name, follower);
    }
    this.hub.hear(follower.port, message);
    if (message.kind !== "leave") return;
    follower.channel.close();
    this.followers.delete(name);
  }
}
