import { FetchError, ofetch } from "ofetch";
import { ApiError, isAbort } from "./apiError.ts";
import { readProblem } from "./readProblem.ts";

/** Values of a query. `undefined` and `null` are left out; an array becomes a comma-separated list. */
export type Query = Readonly<
  Record<
    string,
    string | number | boolean | readonly string[] | null | undefined
  >
>;

/** What a request may carry. */
export interface RequestOptions {
  query?: Query;
  /** Sent as JSON; a `Blob` as it is, under its own media type. */
  body?: object;
  /** Revision that the change is meant for; another one is refused with 412 `STALE_REVISION`. */
  ifMatch?: number;
  /** The same key twice has one effect; take `createKey()` once for each intent of the user. */
  idempotencyKey?: string;
  signal?: AbortSignal;
}

/** Name of the event on `window` for a refused session. */
export const sessionRefusedEvent = "gantry:session-refused";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

async function send<Answer>(
  method: Method,
  path: string,
  options: RequestOptions = {},
): Promise<Answer> {
  const headers: Record<string, string> = { accept: "application/json" };
  if (options.ifMatch !== undefined)
    headers["if-match"] = `"${options.ifMatch}"`;
  if (options.idempotencyKey !== undefined)
    headers["idempotency-key"] = options.idempotencyKey;
  try {
    return await ofetch<Answer>(path, {
      method,
      headers,
      query: toQuery(options.query),
      body: options.body,
      signal: options.signal,
      retry: false,
      redirect: "error",
    });
  } catch (thrown) {
    throw translate(thrown, options.signal);
  }
}

function translate(thrown: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted || isAbort(thrown))
    return new DOMException("The page gave the request up.", "AbortError");
  if (!(thrown instanceof FetchError)) return thrown;
  if (!thrown.response) {
    return new ApiError(
      {
        status: 0,
        code: "UNREACHABLE",
        title: "No answer",
        detail:
          "The Gantry daemon does not answer. Check that it still runs, then try again.",
      },
      { cause: thrown },
    );
  }
  const problem = readProblem(
    thrown.response.status,
    thrown.data,
    thrown.response.headers,
  );
  // Who listens is the shell: a session that ended while the page is open leads to the pairing page from anywhere.
  if (problem.code === "AUTH_NOT_PAIRED")
    window.dispatchEvent(new CustomEvent(sessionRefusedEvent));
  return new ApiError(problem, { cause: thrown });
}

/** The query as the daemon reads it, without what was left out. */
export function toQuery(query: Query = {}): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    result[name] = Array.isArray(value) ? value.join(",") : String(value);
  }
  return result;
}

/**
 * Calls the daemon's HTTP API. Each function resolves with the answer's body and rejects with an {@link ApiError}; a
 * request whose `signal` aborts rejects with an `AbortError`. Nothing is tried twice.
 *
 * @example const note = await api.patch<Note>(`/api/notes/${id}`, { body: { title }, ifMatch: note.revision });
 */
export const api = {
  get: <Answer>(path: string, options?: Omit<RequestOptions, "body">) =>
    send<Answer>("GET", path, options),
  post: <Answer>(path: string, options?: RequestOptions) =>
    send<Answer>("POST", path, options),
  put: <Answer>(path: string, options?: RequestOptions) =>
    send<Answer>("PUT", path, options),
  patch: <Answer>(path: string, options?: RequestOptions) =>
    send<Answer>("PATCH", path, options),
  delete: <Answer>(path: string, options?: RequestOptions) =>
    send<Answer>("DELETE", path, options),
} as const;
