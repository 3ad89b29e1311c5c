import type { Clock, Log, SocketPeer } from "@gantry/plugin";
import type { RawData, WebSocket } from "ws";
import { createBucket } from "@gantry/system/bucket";
import { runInContext } from "@gantry/system/context/work-context";
import type { Connections } from "./connections.ts";
import type { HttpRequest } from "./http-request.ts";
import type { SocketRecord } from "./route-table.ts";

/** Messages that a client may send at once; the budget fills up again within five seconds. */
const MAX_BURST = 500;
const REFILL_MS = 5_000;
const REVOKED = 4401;
/** Close code of a server that stops (RFC 6455, 7.4.1). */
export const GOING_AWAY = 1001;
const TOO_MANY = 1008;
const FAULT = 1011;
/** Time that a client gets to answer a close frame before its connection is cut. */
const CLOSE_TIMEOUT_MS = 1_000;

/** Dependencies of {@link serveSocket}. */
export interface SocketHost {
  connections: Connections;
  clock: Clock;
  log: Log;
}

/**
 * Serves a WebSocket that was opened just now: calls the plugin's hooks, each in its context and guarded, keeps the budget of
 * messages, and ends it with its session, its plugin or the daemon.
 */
export function serveSocket(
  { connections, clock, log }: SocketHost,
  { definition, owner: { plugin } }: SocketRecord,
  { params, search, caller }: HttpRequest,
  socket: WebSocket,
): void {
  const budget = createBucket(clock, MAX_BURST, REFILL_MS);
  /** The daemon has closed it, so nothing that the client still sends counts. */
  let isEnding = false;

  function end(code?: number, reason?: string): void {
    isEnding = true;
    socket.close(code, reason);
    setTimeout(() => socket.terminate(), CLOSE_TIMEOUT_MS).unref();
  }

  function call(hook: () => unknown): void {
    void runInContext({ plugin }, async () => {
      try {
        await hook();
      } catch (error) {
        const { path } = definition;
        log.error("Socket hook failed", { plugin, path }, error);
        end(FAULT, "Internal error");
      }
    });
  }

  const peer: SocketPeer = {
    params,
    search,
    caller,
    send: (data) => socket.send(data),
    close: end,
    get bufferedBytes() {
      return socket.bufferedAmount;
    },
  };
  // What is wrong with a frame closes the socket, with a code that says so.
  socket.on("error", () => {});
  const remove = connections.add({
    caller,
    plugin,
    end: (reason) => end(reason === "revoked" ? REVOKED : GOING_AWAY, reason),
  });
  socket.once("close", (code) => {
    remove();
    call(() => definition.close?.(peer, code));
  });
  socket.on("message", (data: RawData, isBinary: boolean) => {
    if (isEnding) return;
    if (budget.take() > 0) return end(TOO_MANY, "Too many messages");
    // In the one form that `binaryType` stands for unless it is changed.
    const bytes = data as Buffer;
    call(() => definition.message?.(peer, isBinary ? bytes : String(bytes)));
  });
  if (!isEnding) call(() => definition.open?.(peer));
}
