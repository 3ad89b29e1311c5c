import type { Caller } from "@gantry/plugin";

/** A stream or socket that stays open, and how it is ended. */
export interface OpenConnection {
  /** The caller that opened it, `undefined` if no session is needed. */
  readonly caller: Caller | undefined;
  /** Plugin that serves it. */
  readonly plugin: string;
  /** Ends it: `revoked` when its session is gone, `stopping` at a clean stop. */
  end(reason: "revoked" | "stopping"): void;
}

/** All streams and sockets that are open, so that none outlives its session, its plugin or the daemon. */
export interface Connections {
  /**
   * Adds a connection, and ends it at once if its caller is not paired any more: the session may have been revoked during
   * the handshake. The returned function removes it.
   */
  add(connection: OpenConnection): () => void;
  /** Whether connections of a caller may stay open. */
  isCurrent(caller: Caller | undefined): boolean;
  endSession(sessionId: string): void;
  endPlugin(plugin: string): void;
  /** Ends the connections of callers that are not paired any more. */
  endStale(): void;
  endAll(): void;
  /** Ids of the sessions with open connections. */
  onlineSessions(): ReadonlySet<string>;
  readonly size: number;
}

/**
 * Creates an empty register.
 *
 * @param isPaired Whether a caller that was authenticated before still is.
 */
export function createConnections(
  isPaired: (caller: Caller) => boolean,
): Connections {
  const open = new Set<OpenConnection>();
  const isCurrent = (caller: Caller | undefined) =>
    caller === undefined || isPaired(caller);
  const endWhere = (
    matches: (connection: OpenConnection) => boolean,
    reason: "revoked" | "stopping",
  ) => {
    for (const connection of [...open])
      if (matches(connection)) connection.end(reason);
  };
  return {
    isCurrent,
    add(connection) {
      open.add(connection);
      if (!isCurrent(connection.caller)) connection.end("revoked");
      return () => open.delete(connection);
    },
    endSession: (sessionId) =>
      endWhere(({ caller }) => caller?.sessionId === sessionId, "revoked"),
    endPlugin: (plugin) =>
      endWhere((connection) => connection.plugin === plugin, "stopping"),
    endStale: () => endWhere(({ caller }) => !isCurrent(caller), "revoked"),
    endAll: () => endWhere(() => true, "stopping"),
    onlineSessions: () =>
      new Set([...open].flatMap(({ caller }) => caller?.sessionId ?? [])),
    get size() {
      return open.size;
    },
  };
}
