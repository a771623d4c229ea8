// Hub holds the one live stream of a browser for all tabs, because a browser opens few connections to a host. Each tab asks for the ships of
// its own filter. Tabs with the same filter share one question of the stream. A hub lives in a shared worker, or in the tab that leads.
//
// The hub keeps no ships. So a tab that comes, or comes back, gets its picture by a question with a new name: the other questions go on where
// they were, and tabs with the same filter get the picture again too.
import type { Refusal } from "../api";
import type { Asked, Refused, Told } from "./messages";
import type { Listener, Stream } from "./stream";

/** Port is the way from the hub to a tab. */
export interface Port {
  post(message: Told): void;
}

/** Open opens a stream with a query. */
export type Open = (query: string, lastID: string, listener: Listener) => Pick<Stream, "close" | "look">;

interface Question {
  name: string;
  filter: string;
}

interface Member {
  n: number;
  user: string;
  question: Question;
  up: boolean;
  /** waiting counts the events that the tab has not taken yet. */
  waiting: number;
}

const gathering = 30; // milliseconds in which questions come together
const mostQuestions = 16; // as the server has it
const longestQuery = 7000; // of more questions than one: proxies take 8 KiB
const mostWaiting = 32; // events; a tab that is frozen or gone takes none

/** tooMany is the rule of a tab that is refused because the others ask for so much. */
export const tooMany = "tabs_ask_too_much";

export class Hub {
  private readonly members = new Map<Port, Member>();
  private stream?: ReturnType<Open>;
  private lastID = "";
  private names = 0;
  private tries = 0;
  private gatherTimer?: ReturnType<typeof setTimeout>;
  private retryTimer?: ReturnType<typeof setTimeout>;
  private retryAt = 0;

  constructor(private readonly open: Open) {}

  /** hear takes what a tab says. */
  hear(port: Port, said: Asked): void {
    const member = this.members.get(port);
    switch (said.kind) {
      case "ask":
        return this.ask(port, said);
      case "took":
        if (!member) port.post({ kind: "lost", n: said.n });
        else if (member.n === said.n) member.waiting--;
        return;
      case "retry":
        if (this.retryAt !== 0) this.connect();
        return;
      case "leave":
        return this.drop(port);
    }
  }

  /** close ends the stream; the hub hears nothing any more. */
  close(): void {
    this.members.clear();
    this.renew();
  }

  private ask(port: Port, { n, filter, user }: Asked & { kind: "ask" }): void {
    port.post({ kind: "here" });
    if (this.retryAt !== 0 && Date.now() >= this.retryAt) this.connect(); // the timers of a hidden page come late
    this.stream?.look();
    if (this.members.get(port)?.n === n) return;
    this.drop(port);
    let question = this.questions().find((each) => each.filter === filter);
    if (question) question.name = this.name();
    else {
      question = { name: this.name(), filter };
      const all = [...this.questions(), question];
      if (all.length > mostQuestions || (all.length > 1 && queryOf(all).length > longestQuery))
        return port.post({ kind: "refused", n, problem: { status: 429, code: "limit_reached", detail: "", rule: tooMany } });
    }
    this.members.set(port, { n, user, question, up: false, waiting: 0 });
    this.renew();
  }

  private drop(port: Port): void {
    const member = this.members.get(port);
    if (!member) return;
    this.members.delete(port);
    if (!this.questions().includes(member.question)) this.renew();
  }

  private name(): string {
    return "q" + ++this.names;
  }

  private questions(): Question[] {
    return [...new Set([...this.members.values()].map((member) => member.question))];
  }

  // renew has the stream ask what the tabs ask now.
  private renew(): void {
    clearTimeout(this.gatherTimer);
    if (this.members.size === 0) return this.rest();
    this.gatherTimer = setTimeout(() => this.connect(), gathering);
  }

  // rest holds no stream: no tab wants one.
  private rest(): void {
    clearTimeout(this.retryTimer);
    this.retryAt = this.tries = 0;
    this.lastID = "";
    this.stream?.close();
    this.stream = undefined;
  }

  private connect(): void {
    clearTimeout(this.gatherTimer);
    clearTimeout(this.retryTimer);
    this.retryAt = 0;
    this.stream?.close();
    this.stream = this.open(queryOf(this.questions()), this.lastID, {
      opened: (user) => this.opened(user),
      event: (name, data, id) => this.event(name, data, id),
      ended: (problem) => this.ended(problem),
    });
  }

  // opened tells the tabs of the stream's user. Those of another one see its ships no more: the browser has one session for all tabs.
  private opened(user: string): void {
    this.tries = 0;
    this.refuse((member) => member.user !== user, { status: 401, code: "unauthorized", detail: "" });
    for (const [port, member] of this.members) {
      if (!member.up) port.post({ kind: "up", n: member.n, up: true, retryAt: 0 });
      member.up = true;
    }
  }

  private event(name: string, data: string, id: string): void {
    if (id !== "") this.lastID = id;
    const question = name === "picture" || name === "change" ? /^\{"filter":"(\w+)"/.exec(data)?.[1] : undefined;
    for (const [port, member] of this.members) {
      if (question !== undefined && member.question.name !== question) continue;
      if (++member.waiting > mostWaiting) this.drop(port);
      else port.post({ kind: "event", n: member.n, name, data });
    }
  }

  private ended(problem?: Refusal): void {
    this.stream = undefined;
    if (problem && [400, 401, 403].includes(problem.status)) return this.refused(problem);
    const wait = Math.min(10e3, 500 * 2 ** Math.min(this.tries++, 5)) * (0.8 + Math.random() * 0.4);
    this.retryAt = Date.now() + wait;
    this.retryTimer = setTimeout(() => this.connect(), wait);
    for (const [port, member] of this.members) {
      member.up = false;
      port.post({ kind: "up", n: member.n, up: false, retryAt: this.retryAt });
    }
  }

  // refused tells the tabs whose filter the server cannot read, or all tabs where it is not about a filter; the others go on.
  private refused(problem: Refusal): void {
    const { status, code, said, offset, errors } = problem;
    const wrong = errors.map((each) => each.parameter);
    const about = (member: Member): boolean => wrong.includes(`filters[${member.question.name}]`);
    const some = [...this.members.values()].some(about);
    this.refuse(some ? about : () => true, { status, code, ...said, offset });
    this.renew();
  }

  private refuse(which: (member: Member) => boolean, problem: Refused): void {
    for (const [port, member] of [...this.members]) {
      if (!which(member)) continue;
      this.drop(port);
      port.post({ kind: "refused", n: member.n, problem });
    }
  }
}

const queryOf = (questions: Question[]): string =>
  questions.map(({ name, filter }) => `filters[${name}]=${encodeURIComponent(filter)}`).join("&");
