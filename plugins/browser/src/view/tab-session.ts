import type {
  ProtocolAnswer,
  ProtocolConnection,
  ProtocolEvent,
} from "../protocol/protocol-connection.ts";

/** A session of the view with one tab: the guard judges agents' sessions only. */
export interface TabSession {
  /** Also the id of the page's main frame. */
  readonly targetId: string;
  readonly sessionId: string;
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
    call: (method, params = {}) => protocol.send(method, params, sessionId),
    post: (method, params = {}, done = () => {}) =>
      protocol.post(method, params, sessionId, done),
  };
}
