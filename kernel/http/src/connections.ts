import { setTimeout } from "node:timers/promises";
import type { Caller } from "@gantry/plugin";

/** Time that clients get to take what was sent to them, before their connections are cut. */
const DRAIN_MS = 1_000;
const DRAIN_STEP_MS = 10;

/** A stream or socket that stays open, and how it is ended. */
export interface OpenConnection {
  /** Who opened it, `undefined` where no session is needed. */
  readonly caller: Caller | undefined;
  /** Plugin that serves it. */
  readonly plugin: string;
  /** Ends it: `revoked` when its session is gone, `stopping` at a clean stop. */
  end(reason: "revoked" | "stopping"): void;
}

/** All streams and sockets that are open, so that none outlives its session, its plugin or the daemon. */
export type Connections = ReturnType<typeof createConnections>;

/** Makes an empty register. @param isPaired Whether a caller that was let in once still is. */
export function createConnections(isPaired: (caller: Caller) => boolean) {
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
    /** Whether what a caller opens may stay open. */
    isCurrent,
    /**
     * Adds one, and ends it at once if its caller is not paired any more: the session may have been revoked while the
     * connection was made. The returned function takes it out again.
     */
    add(connection: OpenConnection): () => void {
      open.add(connection);
      if (!isCurrent(connection.caller)) connection.end("revoked");
      return () => open.delete(connection);
    },
    endSession: (sessionId: string) =>
      endWhere(({ caller }) => caller?.sessionId === sessionId, "revoked"),
    endPlugin: (plugin: string) =>
      endWhere((connection) => connection.plugin === plugin, "stopping"),
    /** Ends what is open for callers that are not paired any more. */
    endStale: () => endWhere(({ caller }) => !isCurrent(caller), "revoked"),
    endAll: () => endWhere(() => true, "stopping"),
    /** Waits until what is open has gone out, or for a second. Real time: a stop must not hang on a clock that stands. */
    async drain(): Promise<void> {
      const deadline = performance.now() + DRAIN_MS;
      while (open.size > 0 && performance.now() < deadline)
        await setTimeout(DRAIN_STEP_MS);
    },
    /** Sessions that have something open. */
    onlineSessions: () =>
      new Set([...open].flatMap(({ caller }) => caller?.sessionId ?? [])),
    get size() {
      return open.size;
    },
  };
}
