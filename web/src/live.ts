// Live is the live picture as one tab sees it. The tabs of a browser share one stream, which the hub holds (share/hub.ts).
import { address, Refusal } from "./api";
import { tooMany } from "./share/hub";
import type { Refused, Told, Way } from "./share/messages";
import { Ways } from "./share/ways";
import { t } from "./text/text";

/** Listener hears of the stream. */
export interface Listener {
  event(name: string, data: unknown): void;
  /** up tells that the stream runs, or that it does not and when it is tried again (Unix milliseconds). */
  up(running: boolean, retryAt: number): void;
  /** refused tells that the server does not accept the request: not signed in, or a filter that it cannot read. */
  refused(problem: Refusal): void;
}

const sign = 1000; // milliseconds between two signs of life

export class Live {
  private way?: Way;
  private wish = 0;
  private asked = ""; // the filter of the wish
  private signs = 0;
  private missed = 0;
  private heard = true;
  /** filter is the expression that the ships of the stream match, "" for all; it counts from the next start on. */
  filter = "";
  /** user is the uid of the user that is signed in. */
  user = "";

  constructor(
    private readonly listener: Listener,
    private readonly open: (hear: (message: Told) => void) => Way = (hear) => new Ways(address("live"), hear),
  ) {
    addEventListener("online", () => this.retryNow());
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) this.retryNow();
    });
    addEventListener("pagehide", () => this.close());
    addEventListener("pageshow", ({ persisted }) => {
      if (persisted && this.signs !== 0) this.start();
    });
  }

  /** start follows the stream from its beginning. */
  start(): void {
    this.wish++;
    this.asked = this.filter;
    this.way ??= this.open((message) => this.hear(message));
    if (this.signs === 0) this.signs = window.setInterval(() => this.tick(), sign);
    this.missed = 0;
    this.ask();
  }

  /** stop ends the stream for good. */
  stop(): void {
    clearInterval(this.signs);
    this.signs = 0;
    this.wish++;
    this.way?.send({ kind: "leave" });
  }

  /** retryNow does not wait any longer for the next try. */
  retryNow(): void {
    if (this.signs === 0) return;
    this.way?.send({ kind: "retry" });
    this.ask();
  }

  // close leaves the other tabs: the page goes. Should it come back, it starts anew.
  private close(): void {
    this.way?.close();
    this.way = undefined;
  }

  private ask(): void {
    this.way?.send({ kind: "ask", n: this.wish, filter: this.asked, user: this.user });
  }

  private tick(): void {
    this.missed = this.heard ? 0 : this.missed + 1;
    this.heard = false;
    if (this.missed > 0) this.way?.missed(this.missed);
    this.ask();
  }

  private hear(message: Told): void {
    this.heard = true;
    if (this.signs === 0 || message.kind === "here") return;
    if (message.kind === "moved") return this.start();
    if (message.n !== this.wish) return;
    switch (message.kind) {
      case "event":
        this.listener.event(message.name, message.data === "" ? {} : JSON.parse(message.data));
        return this.way?.send({ kind: "took", n: message.n });
      case "up":
        return this.listener.up(message.up, message.retryAt);
      case "lost":
        return this.start();
      case "refused":
        this.stop();
        return this.listener.refused(refusalOf(message.problem));
    }
  }
}

// refusalOf returns the refusal of a problem; the hub has no words of its own.
function refusalOf({ status, ...problem }: Refused): Refusal {
  return new Refusal(status, problem.rule === tooMany ? { ...problem, rule: undefined, detail: t("live.tooMany") } : problem);
}
