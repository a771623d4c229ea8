// Stream reads /api/live once, from its beginning to its end. It does not use EventSource, for three reasons. It must see the comments that
// keep a quiet line alive: a line without any byte for 40 s is dead. It sends Last-Event-ID also after a refusal. And it says at once
// when the link is lost.
import { refusal, Refusal } from "../api";

/** Listener hears of a stream. */
export interface Listener {
  /** opened tells that the stream runs, and the uid of the user that it is for. */
  opened(user: string): void;
  event(name: string, data: string, id: string): void;
  /** ended tells that it is over: the server refused it, or the link is lost. It is told of no stream that was closed. */
  ended(problem?: Refusal): void;
}

const silence = 40e3;

/** addressOf is where the stream of a query is read. What is new of tracks and what watchdogs raise come with it, for users that may know. */
export const addressOf = (base: string, query: string): string => `${base}?${query}&tracks=true&events=true`;

export class Stream {
  private readonly abort = new AbortController();
  private heardAt = Date.now();
  private watch = 0 as unknown as ReturnType<typeof setTimeout>;

  constructor(
    private readonly address: string,
    private readonly lastID: string,
    private readonly listener: Listener,
  ) {
    void this.follow();
  }

  /** close ends the stream without a word. */
  close(): void {
    clearTimeout(this.watch);
    this.abort.abort();
  }

  /** look ends a stream whose line is dead. A timer does this too, but those of a hidden page may come late. */
  look(): void {
    if (Date.now() - this.heardAt >= silence) this.end();
  }

  private end(problem?: Refusal): void {
    if (this.abort.signal.aborted) return;
    this.close();
    this.listener.ended(problem);
  }

  private async follow(): Promise<void> {
    try {
      await this.read();
      this.end();
    } catch (problem) {
      this.end(problem instanceof Refusal ? problem : undefined);
    }
  }

  private heard(): void {
    this.heardAt = Date.now();
    clearTimeout(this.watch);
    this.watch = setTimeout(() => this.end(), silence);
  }

  private async read(): Promise<void> {
    const { signal } = this.abort;
    this.heard();
    const headers: Record<string, string> = { Accept: "text/event-stream" };
    if (this.lastID !== "") headers["Last-Event-ID"] = this.lastID;
    const response = await fetch(this.address, { headers, signal, credentials: "same-origin", cache: "no-store" });
    if (!response.ok || !response.body) throw await refusal(response);
    if (signal.aborted) return;
    this.listener.opened(response.headers.get("Quaywatch-User") ?? "");
    const parser = new EventParser((name, data, id) => {
      if (!signal.aborted) this.listener.event(name, data, id);
    });
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { value, done } = await reader.read();
      if (done || signal.aborted) return;
      this.heard();
      parser.feed(value);
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
