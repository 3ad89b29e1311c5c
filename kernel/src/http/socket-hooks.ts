import type { Hooks, Peer } from "crossws";
import type {
  Caller,
  Clock,
  Log,
  SocketDefinition,
  SocketPeer,
} from "@gantry/plugin";
import { createBucket } from "../auth/bucket.ts";
import { runInContext } from "../context/work-context.ts";
import type { Connections } from "./connections.ts";
import type { HttpRequest } from "./http-request.ts";
import type { RouteOwner } from "./route-table.ts";

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

/** Dependencies of {@link createSocketHooks}. */
export interface SocketHooksHost {
  connections: Connections;
  clock: Clock;
  log: Log;
}

/** A registered WebSocket endpoint. */
export interface SocketRecord {
  readonly definition: SocketDefinition;
  readonly owner: RouteOwner;
}

/** An open socket. */
interface Member {
  socket: SocketPeer;
  remove: () => void;
  /** The daemon has closed it, so nothing that the client still sends counts. */
  isEnding: boolean;
}

/**
 * What happens on one WebSocket once it is open: the plugin's hooks, each in its context and guarded, the budget of messages,
 * and the end with its session, its plugin or the daemon.
 */
export function createSocketHooks(
  { connections, clock, log }: SocketHooksHost,
  { definition, owner }: SocketRecord,
  request: HttpRequest,
  caller: Caller | undefined,
): Partial<Hooks> {
  const members = new Map<string, Member>();
  const budget = createBucket(clock, MAX_BURST, REFILL_MS);
  const end = (peer: Peer, code?: number, reason?: string) => {
    const member = members.get(peer.id);
    if (member) member.isEnding = true;
    peer.close(code, reason);
    setTimeout(() => peer.terminate(), CLOSE_TIMEOUT_MS).unref();
  };
  const guard = (peer: Peer, work: () => unknown) =>
    runInContext({ plugin: owner.plugin }, async () => {
      try {
        await work();
      } catch (error) {
        log.error(
          "Socket hook failed",
          { plugin: owner.plugin, path: definition.path },
          error,
        );
        end(peer, FAULT, "Internal error");
      }
    });
  return {
    open(peer) {
      const close = (code?: number, reason?: string) => end(peer, code, reason);
      const socket = toSocketPeer(peer, request, caller, close);
      const member: Member = { socket, remove: () => {}, isEnding: false };
      members.set(peer.id, member);
      member.remove = connections.add({
        caller,
        plugin: owner.plugin,
        end: (reason) =>
          end(peer, reason === "revoked" ? REVOKED : GOING_AWAY, reason),
      });
      if (member.isEnding) return;
      return guard(peer, () => definition.open?.(socket));
    },
    message(peer, message) {
      const member = members.get(peer.id);
      if (!member || member.isEnding) return;
      if (budget.take() > 0) return end(peer, TOO_MANY, "Too many messages");
      const data =
        typeof message.rawData === "string"
          ? message.rawData
          : message.uint8Array();
      return guard(peer, () => definition.message?.(member.socket, data));
    },
    close(peer, details) {
      const member = members.get(peer.id);
      if (!member) return;
      members.delete(peer.id);
      member.remove();
      return guard(peer, () =>
        definition.close?.(member.socket, details.code ?? 1005),
      );
    },
  };
}

function toSocketPeer(
  peer: Peer,
  request: HttpRequest,
  caller: Caller | undefined,
  close: SocketPeer["close"],
): SocketPeer {
  return {
    params: request.params,
    search: request.search,
    caller,
    send: (data) => void peer.send(data),
    close,
    get bufferedBytes() {
      return peer.websocket.bufferedAmount ?? 0;
    },
  };
}
