import type { BrowserMessage } from "../contract.ts";
import { errors } from "../errors.ts";
import { CLOSED_CODE } from "../protocol/protocol-connection.ts";
import { ToolProblem } from "./tool-problem.ts";

/** The guard's side of a connection. */
export interface GuardConnection {
  post(message: unknown): void;
  close(): void;
}

/** Opens a connection through the guard; `send` receives answers and events. */
export type ConnectGuard = (
  send: (message: BrowserMessage) => void,
) => GuardConnection;

/** An event for an agent's connection. */
export interface GuardEvent {
  method: string;
  params: Record<string, unknown>;
  sessionId: string | undefined;
}

interface PendingCall {
  resolve(result: Record<string, unknown>): void;
  reject(error: Error): void;
}

/** Calls Chromium through the guard, which judges each call. */
export class GuardClient {
  readonly #connection: GuardConnection;
  readonly #pending = new Map<number, PendingCall>();
  #lastId = 0;
  #isClosed = false;

  constructor(connect: ConnectGuard, onEvent: (event: GuardEvent) => void) {
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
    if (this.#isClosed) throw errors.BROWSER_GONE({});
    signal?.throwIfAborted();
    const id = (this.#lastId += 1);
    const { promise, resolve, reject } =
      Promise.withResolvers<Record<string, unknown>>();
    const leave = () => {
      this.#pending.delete(id);
      reject(signal?.reason as Error);
    };
    signal?.addEventListener("abort", leave, { once: true });
    this.#pending.set(id, { resolve, reject });
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
    for (const { reject } of this.#pending.values())
      reject(errors.BROWSER_GONE({}));
    this.#pending.clear();
  }

  #answer(id: number, { result, error }: BrowserMessage): void {
    const call = this.#pending.get(id);
    this.#pending.delete(id);
    if (error)
      call?.reject(
        error.code === CLOSED_CODE
          ? errors.BROWSER_GONE({})
          : new ToolProblem(error.message),
      );
    else call?.resolve(result ?? {});
  }
}
