import { errors } from "../errors.ts";
import { CONNECTION_CLOSED } from "../protocol/protocol-error.ts";
import { ToolProblem } from "./tool-problem.ts";

/** A message of the DevTools protocol, as it goes through the guard. */
export interface GuardMessage {
  id?: number;
  method?: string;
  params?: Record<string, unknown>;
  sessionId?: string;
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
}

/** The guard's side of a connection. */
export interface GuardConnection {
  post(message: GuardMessage): void;
  close(): void;
}

/** An event for an agent's connection. */
export interface GuardEvent {
  method: string;
  params: Record<string, unknown>;
  sessionId: string | undefined;
}

interface OpenCall {
  resolve(result: Record<string, unknown>): void;
  reject(error: Error): void;
}

/** Calls Chromium through the guard, which judges each call. */
export class GuardClient {
  readonly #connection: GuardConnection;
  readonly #open = new Map<number, OpenCall>();
  #lastId = 0;
  #isClosed = false;

  constructor(
    connect: (send: (message: GuardMessage) => void) => GuardConnection,
    onEvent: (event: GuardEvent) => void,
  ) {
    this.#connection = connect((message) => {
      if (message.id !== undefined) this.#answer(message.id, message);
      else if (message.method !== undefined)
        onEvent({
          method: message.method,
          params: message.params ?? {},
          sessionId: message.sessionId,
        });
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /**
   * Makes one call. When `signal` aborts it rejects at once, and the answer is dropped.
   *
   * @throws ToolProblem with the message of the guard or Chromium; `BROWSER_GONE` when the browser has ended
   */
  async call<Result = Record<string, unknown>>(
    method: string,
    params: Record<string, unknown> = {},
    sessionId?: string,
    signal?: AbortSignal,
  ): Promise<Result> {
    if (this.#isClosed) throw errors.BROWSER_GONE();
    signal?.throwIfAborted();
    const id = (this.#lastId += 1);
    const { promise, resolve, reject } =
      Promise.withResolvers<Record<string, unknown>>();
    const leave = () => {
      this.#open.delete(id);
      reject(signal?.reason as Error);
    };
    signal?.addEventListener("abort", leave, { once: true });
    this.#open.set(id, { resolve, reject });
    const target = sessionId === undefined ? {} : { sessionId };
    this.#connection.post({ id, method, params, ...target });
    try {
      return (await promise) as Result;
    } finally {
      signal?.removeEventListener("abort", leave);
    }
  }

  /** Closes the connection; every pending call is rejected with `BROWSER_GONE`. Idempotent. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#connection.close();
    for (const { reject } of this.#open.values()) reject(errors.BROWSER_GONE());
    this.#open.clear();
  }

  #answer(id: number, { result, error }: GuardMessage): void {
    const call = this.#open.get(id);
    this.#open.delete(id);
    if (error)
      call?.reject(
        error.code === CONNECTION_CLOSED
          ? errors.BROWSER_GONE()
          : new ToolProblem(error.message),
      );
    else call?.resolve(result ?? {});
  }
}
