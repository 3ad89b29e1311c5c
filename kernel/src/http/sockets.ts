import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import nodeAdapter from "crossws/adapters/node";
import type { Hooks, Peer } from "crossws";
import { addRoute, createRouter, findRoute, removeRoute } from "rou3";
import type {
  Caller,
  Clock,
  Disposer,
  Log,
  SocketDefinition,
  SocketPeer,
} from "@gantry/plugin";
import { createBucket } from "../auth/bucket.ts";
import { runInContext } from "../context/work-context.ts";
import type { Connections } from "./connections.ts";
import { malformed } from "./gate.ts";
import type { Gate } from "./gate.ts";
import { isHandshake } from "./handshake.ts";
import { toPattern, toShape } from "./path-pattern.ts";
import type { Peers } from "./peer-address.ts";
import { toProblem } from "./problem.ts";
import { endWithAnswer, renderLastAnswer } from "./reply.ts";
import { Head, pathOf } from "./request-head.ts";
import { checkAccess } from "./route-table.ts";
import { createSocketQuota } from "./socket-quota.ts";
import type { RouteOwner } from "./route-table.ts";
import { errors } from "../errors.ts";

const DEFAULT_MAX_MESSAGE = 64 * 1024;
/** Messages that a client may send at once; the budget fills up again within five seconds (security M10). */
const MOST_MESSAGES = 500;
const REFILL_MS = 5_000;
const REVOKED = 4401;
const GOING_AWAY = 1001;
const TOO_MANY = 1008;
const FAULT = 1011;
/** A client that does not answer for so long is gone, though nobody said so. */
const SILENCE_S = 15;
/** Time that a client gets to say goodbye before it is cut off. */
const GOODBYE_MS = 1_000;

/** What sockets stand on. */
export interface SocketHost {
  gate: Gate;
  peers: Peers;
  connections: Connections;
  clock: Clock;
  log: Log;
  /** What whoever asks for a path hears if the plugin that owns it is not active. */
  unavailableAt(path: string): Error | undefined;
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
  /** It was told to close, so nothing that it still sends counts. */
  isEnding: boolean;
}

/** A socket that was let in. */
interface Entry {
  hooks: Partial<Hooks>;
  /** Largest message in bytes. */
  largest: number;
}

/** Upgrades requests to WebSockets, through the gate. */
export interface SocketServer {
  /** Opens an address for sockets. One that is taken is refused, whoever has it. */
  add(record: SocketRecord): Disposer;
  /** How many addresses there are. */
  readonly size: number;
  /** For the server's `upgrade` event. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  close(): Promise<void>;
}

/** Makes the WebSocket side of the kernel on crossws. */
export function createSocketServer({
  gate,
  peers,
  connections,
  clock,
  log,
  unavailableAt,
}: SocketHost): SocketServer {
  const router = createRouter<SocketRecord>();
  const byShape = new Map<string, SocketRecord>();
  const accepted = new WeakMap<Request, Partial<Hooks>>();
  const quota = createSocketQuota();
  /** By largest message, since a piece of one that is too large must not even be kept. */
  const adapters = new Map<number, ReturnType<typeof nodeAdapter>>();

  function adapterFor(maxPayload: number): ReturnType<typeof nodeAdapter> {
    let adapter = adapters.get(maxPayload);
    if (!adapter) {
      adapter = nodeAdapter({
        resolve: (request) => accepted.get(request as Request) ?? {},
        idleTimeout: SILENCE_S,
        serverOptions: { maxPayload, perMessageDeflate: false },
      });
      adapters.set(maxPayload, adapter);
    }
    return adapter;
  }

  async function accept(
    request: IncomingMessage,
    socket: Duplex,
  ): Promise<Entry> {
    const path = pathOf(request);
    const match = findRoute(router, "GET", path);
    const head = new Head(request, match?.params ?? {}, "", peers);
    const definition = match?.data.definition;
    const guarded = definition && {
      access: definition.access,
      servesHooks: false,
    };
    const caller = gate.pass(head, "upgrade", guarded);
    if (!match || !definition || match.data.owner.signal.aborted)
      throw unavailableAt(path) ?? errors.ROUTE_NOT_FOUND();
    if (!isHandshake(request)) throw malformed();
    if (definition.access === "self") await definition.authorize?.(head);
    await runInContext({ plugin: match.data.owner.plugin }, async () =>
      definition.admit?.(head),
    );
    socket.once("close", quota.take(caller?.sessionId));
    return {
      hooks: createHooks(match.data, head, caller),
      largest: definition.maxMessage ?? DEFAULT_MAX_MESSAGE,
    };
  }

  function createHooks(
    { definition, owner }: SocketRecord,
    head: Head,
    caller: Caller | undefined,
  ): Partial<Hooks> {
    const members = new Map<string, Member>();
    const budget = createBucket(clock, MOST_MESSAGES, REFILL_MS);
    /** A client that goes on sending after it was told that it is over is not heard any more. */
    const end = (peer: Peer, code?: number, reason?: string) => {
      const member = members.get(peer.id);
      if (member) member.isEnding = true;
      peer.close(code, reason);
      setTimeout(() => peer.terminate(), GOODBYE_MS).unref();
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
        const close = (code?: number, reason?: string) =>
          end(peer, code, reason);
        const socket = toSocketPeer(peer, head, caller, close);
        const remove = connections.add({
          sessionId: caller?.sessionId,
          plugin: owner.plugin,
          end: (reason) =>
            end(peer, reason === "revoked" ? REVOKED : GOING_AWAY, reason),
        });
        members.set(peer.id, { socket, remove, isEnding: false });
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

  return {
    add(record) {
      const { path, access, authorize } = record.definition;
      checkAccess(`The socket ${path}`, access, authorize);
      const shape = toShape(path);
      const taken = byShape.get(shape);
      if (taken)
        throw new TypeError(
          `The socket ${path} is already registered by "${taken.owner.plugin}".`,
        );
      byShape.set(shape, record);
      addRoute(router, "GET", toPattern(path), record);
      return () => {
        if (byShape.get(shape) !== record) return;
        byShape.delete(shape);
        removeRoute(router, "GET", toPattern(path));
      };
    },
    get size() {
      return byShape.size;
    },
    handleUpgrade(request, socket, head) {
      // A peer that resets in the middle of the handshake is not a fault.
      socket.on("error", () => socket.destroy());
      accept(request, socket).then(
        ({ hooks, largest }) => {
          const webRequest = new Request("http://upgrade.invalid/");
          accepted.set(webRequest, hooks);
          const adapter = adapterFor(largest);
          return adapter.handleUpgrade(request, socket, head, webRequest);
        },
        (thrown: unknown) => {
          const { problem, unexpected } = toProblem(thrown, "");
          if (unexpected)
            log.error("Upgrade failed", { path: pathOf(request) }, thrown);
          // Nothing has parsed an answer for us here: this is the socket itself.
          endWithAnswer(socket, renderLastAnswer(problem));
        },
      );
    },
    async close() {
      for (const adapter of adapters.values()) {
        adapter.closeAll(GOING_AWAY, "stopping");
        await adapter.close();
      }
    },
  };
}

function toSocketPeer(
  peer: Peer,
  head: Head,
  caller: Caller | undefined,
  close: SocketPeer["close"],
): SocketPeer {
  return {
    params: head.params,
    search: head.search,
    caller,
    send: (data) => void peer.send(data),
    close,
    get bufferedBytes() {
      return peer.websocket.bufferedAmount ?? 0;
    },
  };
}
