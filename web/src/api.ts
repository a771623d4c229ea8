// The calls to the server. All addresses are relative to the page, so that nothing ever leaves its origin.
import type { Problem, RuleOf } from "./contract";

/** Sentence is what the server says: a rule, by a word that never changes, the values in it, and the same in English. */
export type Sentence = Pick<RuleOf, "detail"> & Partial<RuleOf>;

/** reached tells that the server answers again, after it did not. What could not be read meanwhile is read then. */
export const reached = new EventTarget();

type FieldError = NonNullable<Problem["errors"]>[number];

// Said is as much of a problem as an answer has; what stands between need not be this server.
type Said = Partial<Omit<Problem, "code">> & { code?: Problem["code"] | "" };

/** Refusal is an answer of the API that is no success; code, offset, errors and records are those of its problem+json body. */
export class Refusal extends Error {
  readonly code: Problem["code"] | "";
  readonly said: Sentence;
  readonly offset?: number;
  readonly errors: FieldError[];
  readonly records: NonNullable<Problem["records"]>;

  constructor(
    readonly status: number,
    { code = "", title = "", detail = title, rule, params, offset, errors = [], records = [] }: Said,
  ) {
    super(detail);
    this.code = code;
    this.said = { detail, rule, params };
    this.offset = offset;
    this.errors = errors;
    this.records = records;
  }
}

/** address returns the address of a call below api/. */
export const address = (path: string): string => new URL("api/" + path, document.baseURI).href;

/** refusal reads the problem that an answer carries. */
export async function refusal(response: Response): Promise<Refusal> {
  const body = (await response.json().catch(() => ({}))) as Partial<Problem>;
  return new Refusal(response.status, { title: response.statusText, ...body });
}

const patience = 30e3; // of a change: the user is told, rather than left waiting for a dead link

/** send makes one call and gives its JSON; it throws a Refusal for an answer that is no success, and something else when there is none. */
export async function send<T = unknown>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  const text = await sendText(method, path, body === undefined ? undefined : JSON.stringify(body), signal);
  return (text === "" ? {} : JSON.parse(text)) as T;
}

/** sendText is send for JSON as text, of which no digit may be lost. */
export async function sendText(method: string, path: string, body?: string, signal?: AbortSignal): Promise<string> {
  const response = await fetch(address(path), {
    method,
    signal: signal ?? (method === "GET" ? null : AbortSignal.timeout(patience)),
    credentials: "same-origin",
    headers: { Accept: "application/json", ...(body === undefined ? {} : { "Content-Type": "application/json" }) },
    body: body ?? null,
  });
  if (!response.ok) throw await refusal(response);
  return response.text();
}
