/** An event of Chromium, as the DevTools protocol sends it. */
export interface ProtocolEvent {
  method: string;
  params: Record<string, unknown>;
  /** The session of one target; `undefined` for the browser itself. */
  sessionId?: string;
}

/** An open connection to a Chromium over the DevTools protocol. */
export interface ProtocolConnection {
  /**
   * Sends a call, to the browser itself unless a session is given, and returns its result.
   *
   * @throws an Error with the method and Chromium's own message, or `BROWSER_GONE` when the connection is closed
   */
  send<Result = Record<string, unknown>>(
    method: string,
    params?: object,
    sessionId?: string,
  ): Promise<Result>;
  /** Calls back synchronously for each event, in Chromium's order. Returns a function that removes the listener. */
  onEvent(listener: (event: ProtocolEvent) => void): () => void;
  readonly isClosed: boolean;
  /** Resolves when the connection has closed; never rejects. */
  readonly closed: Promise<void>;
}
