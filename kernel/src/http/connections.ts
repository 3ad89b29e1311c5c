/** A stream or socket that stays open, and how it is ended. */
export interface OpenConnection {
  /** Session that opened it, `undefined` where no session is needed. */
  readonly sessionId: string | undefined;
  /** Plugin that serves it. */
  readonly plugin: string;
  /** Ends it: `revoked` when its session is gone, `stopping` at a clean stop. */
  end(reason: "revoked" | "stopping"): void;
}

/** All streams and sockets that are open, so that none outlives its session, its plugin or the daemon. */
export interface Connections {
  add(connection: OpenConnection): () => void;
  endSession(sessionId: string): void;
  endPlugin(plugin: string): void;
  endAll(): void;
  /** Sessions that have something open. */
  onlineSessions(): ReadonlySet<string>;
  readonly size: number;
}

/** Makes an empty register. */
export function createConnections(): Connections {
  const open = new Set<OpenConnection>();
  const endWhere = (
    matches: (connection: OpenConnection) => boolean,
    reason: "revoked" | "stopping",
  ) => {
    for (const connection of [...open])
      if (matches(connection)) connection.end(reason);
  };
  return {
    add(connection) {
      open.add(connection);
      return () => open.delete(connection);
    },
    endSession: (sessionId) =>
      endWhere((connection) => connection.sessionId === sessionId, "revoked"),
    endPlugin: (plugin) =>
      endWhere((connection) => connection.plugin === plugin, "stopping"),
    endAll: () => endWhere(() => true, "stopping"),
    onlineSessions: () =>
      new Set([...open].flatMap((connection) => connection.sessionId ?? [])),
    get size() {
      return open.size;
    },
  };
}
