// The calls to the server. All addresses are relative to the page, so that nothing ever leaves its origin.

/** FieldError names a field of what was sent by its JSON pointer, and the rule that it breaks. */
export interface FieldError { pointer: string; detail: string }

/** Refusal is an answer of the API that is no success; code, offset and errors are those of its problem+json body. */
export class Refusal extends Error {
  constructor(readonly status: number, readonly code: string, detail: string, readonly offset?: number, readonly errors: FieldError[] = []) {
    super(detail);
  }
}

/** address gives the address of a call below api/. */
export const address = (path: string): string => new URL("api/" + path, document.baseURI).href;

/** refusal reads the problem that an answer carries. */
export async function refusal(response: Response): Promise<Refusal> {
  const body = (await response.json().catch(() => ({}))) as { code?: string; detail?: string; title?: string; offset?: number; errors?: FieldError[] };
  return new Refusal(response.status, body.code ?? "", body.detail ?? body.title ?? response.statusText, body.offset, body.errors);
}

/** send makes one call and gives its JSON; it throws a Refusal for an answer that is no success. */
export async function send<T = unknown>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  const response = await fetch(address(path), {
    method, signal: signal ?? null, credentials: "same-origin",
    headers: { Accept: "application/json", ...(body === undefined ? {} : { "Content-Type": "application/json" }) },
    body: body === undefined ? null : JSON.stringify(body),
  });
  if (!response.ok) throw await refusal(response);
  const text = await response.text();
  return (text === "" ? {} : JSON.parse(text)) as T;
}
