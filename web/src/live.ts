// Live follows /api/live. It reads the stream itself rather than through EventSource, for three reasons. It must see the comments that
// keep a quiet line alive: a line without any byte for 40 s is dead. It sends Last-Event-ID also after a refusal. And it says at once
// when the link is lost.
import { address, refusal, Refusal } from "./api";

/** Listener hears of the stream. */
export interface Listener {
  event(name: string, data: unknown): void;
  /** up tells that the stream runs, or that it does not and when it is tried again (Unix milliseconds). */
  up(running: boolean, retryAt: number): void;
  /** refused tells that the server does not accept the request: not signed in, or a filter that it cannot read. */
  refused(problem: Refusal): void;
}

const silence = 40e3;

export class Live {
  private abort?: AbortController;
  private lastID = "";
  private tries = 0;
  private timer = 0;
  /** filter is the expression that the ships of the stream match, "" for all; it counts from the next start on. */
  filter = "";

  constructor(private readonly listener: Listener) {
    addEventListener("online", () => this.retryNow());
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) this.retryNow();
    });
  }

  /** start follows the stream from its beginning. */
  start(): void {
    this.stop();
    this.lastID = "";
    this.tries = 0;
    void this.follow();
  }

  /** stop ends the stream for good. */
  stop(): void {
    clearTimeout(this.timer);
    this.timer = 0;
    this.abort?.abort();
    this.abort = undefined;
  }

  /** retryNow does not wait any longer for the next try. */
  retryNow(): void {
    if (this.timer === 0) return;
    clearTimeout(this.timer);
    this.timer = 0;
    void this.follow();
  }

  private async follow(): Promise<void> {
    const abort = (this.abort = new AbortController());
    try {
      await this.read(abort);
    } catch (problem) {
      if (this.abort !== abort) return; // stopped, or started anew
      if (problem instanceof Refusal && (problem.status === 401 || problem.status === 403 || problem.status === 400)) {
        this.listener.refused(problem);
        return;
      }
    }
    if (this.abort !== abort) return;
    abort.abort();
    const wait = Math.min(10e3, 500 * 2 ** Math.min(this.tries++, 5)) * (0.8 + Math.random() * 0.4);
    this.listener.up(false, Date.now() + wait);
    this.timer = window.setTimeout(() => {
      this.timer = 0;
      void this.follow();
    }, wait);
  }

  private async read(abort: AbortController): Promise<void> {
    let watchdog = setTimeout(() => abort.abort(), silence);
    try {
      const query = this.filter === "" ? "" : "?filter=" + encodeURIComponent(this.filter);
      const headers: Record<string, string> = { Accept: "text/event-stream" };
      if (this.lastID !== "") headers["Last-Event-ID"] = this.lastID;
      const response = await fetch(address("live" + query), {
        headers,
        signal: abort.signal,
        credentials: "same-origin",
        cache: "no-store",
      });
      if (!response.ok || !response.body) throw await refusal(response);
      this.tries = 0;
      this.listener.up(true, 0);
      const parser = new EventParser((name, data, id) => {
        if (this.abort !== abort) return;
        if (id !== "") this.lastID = id;
        this.listener.event(name, data === "" ? {} : JSON.parse(data));
      });
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return;
        clearTimeout(watchdog);
        watchdog = setTimeout(() => abort.abort(), silence);
        parser.feed(value);
      }
    } finally {
      clearTimeout(watchdog);
    }
  }
}

/** EventParser cuts a text/event-stream into events, however its pieces fall. */
export class EventParser {
  private pieces: string[] = [];
  private name = "";
  private id = "";
  private data: string[] = [];

  constructor(private readonly emit: (name: string, data: string, id: string) => void) {}

  /** feed takes the next piece of the stream. */
  feed(piece: string): void {
    let from = 0;
    for (let end = piece.indexOf("\n"); end >= 0; end = piece.indexOf("\n", from)) {
      this.pieces.push(piece.slice(from, end));
      this.line(this.pieces.length === 1 ? this.pieces[0] : this.pieces.join(""));
      this.pieces.length = 0;
      from = end + 1;
    }
    if (from < piece.length) this.pieces.push(from === 0 ? piece : piece.slice(from));
  }

  private line(raw: string): void {
    const text = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
    if (text === "") return this.dispatch();
    if (text.startsWith(":")) return;
    const colon = text.indexOf(":");
    const field = colon < 0 ? text : text.slice(0, colon);
    const value = colon < 0 ? "" : text.slice(text[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "event") this.name = value;
    else if (field === "data") this.data.push(value);
    else if (field === "id") this.id = value;
  }

  private dispatch(): void {
    if (this.data.length > 0) this.emit(this.name || "message", this.data.join("\n"), this.id);
    this.name = "";
    this.id = "";
    this.data.length = 0;
  }
}
