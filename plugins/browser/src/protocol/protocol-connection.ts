/** An event of Chromium, as the DevTools protocol sends it. */
export interface ProtocolEvent {
  method: string;
  params: Record<string, unknown>;
  /** The session with a page, frame or worker; missing for events of the browser itself. */
  sessionId?: string;
}

/** Code of the error that answers a call once the browser has ended. */
export const CLOSED_CODE = -32_099;

/** The answer to one call: exactly one of the two. */
export interface ProtocolAnswer {
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
}

/** An open connection to a Chromium over the DevTools protocol. */
export interface ProtocolConnection {
  /**
   * Sends a call and returns its result.
   *
   * @throws an Error with the method and Chromium's own message, or `BROWSER_GONE` when the connection is closed
   */
  send<Result = Record<string, unknown>>(
    method: string,
    params?: object,
    sessionId?: string,
  ): Promise<Result>;
  /**
   * Sends a call. `done` is called in the turn in which the answer is read, so before any event that Chromium sent after
   * it. A call that cannot be sent any more, or whose session has ended, is answered with an error. Never throws.
   */
  post(
    method: string,
    params: object,
    sessionId?: string,
    done?: (answer: ProtocolAnswer) => void,
  ): void;
  /** Calls back synchronously for each event, in Chromium's order. Returns a function that removes the listener. */
  onEvent(listener: (event: ProtocolEvent) => void): () => void;
  readonly isClosed: boolean;
  /** Resolves when the connection has closed; never rejects. */
  readonly closed: Promise<void>;
}
