import type {
  ProtocolAnswer,
  ProtocolConnection,
  ProtocolEvent,
} from "../protocol/protocol-connection.ts";

/** Our own session of one tab, which bypasses the guard. */
export interface TabSession {
  readonly targetId: string;
  readonly sessionId: string;
  /** The page's main frame, as far as known. */
  mainFrameId: string;
  call<Result = Record<string, unknown>>(
    method: string,
    params?: object,
  ): Promise<Result>;
  /** Calls without waiting; an error is passed to `done` or dropped. */
  post(
    method: string,
    params?: object,
    done?: (answer: ProtocolAnswer) => void,
  ): void;
}

/** Handles some of a tab's events. */
export interface TabPart {
  take(event: ProtocolEvent): void;
  close?(): void;
}

/** Creates the calls of a session. */
export function createTabSession(
  protocol: ProtocolConnection,
  targetId: string,
  sessionId: string,
): TabSession {
  return {
    targetId,
    sessionId,
    // Chromium names the target after the first frame of the page.
    mainFrameId: targetId,
    call: (method, params = {}) => protocol.send(method, params, sessionId),
    post: (method, params = {}, done = () => {}) =>
      protocol.post(method, params, sessionId, done),
  };
}
