import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import nodeAdapter from "crossws/adapters/node";
import type { Hooks, Peer } from "crossws";
import { addRoute, createRouter, findRoute, removeRoute } from "rou3";
import type { Caller, Log, SocketPeer } from "@gantry/plugin";
import { runInContext } from "../context/work-context.ts";
import type { Unavailable } from "./app.ts";
import type { Connections } from "./connections.ts";
import type { Gate } from "./gate.ts";
import { toProblem } from "./problem.ts";
import { renderLastAnswer } from "./reply.ts";
import { Head } from "./request-head.ts";
import type { SocketRecord } from "./route-table.ts";
import { errors } from "../errors.ts";

const DEFAULT_MAX_MESSAGE = 64 * 1024;
const REVOKED = 4401;
const GOING_AWAY = 1001;
const TOO_LARGE = 1009;
const FAULT = 1011;

/** What sockets stand on. */
export interface SocketHost {
  gate: Gate;
  connections: Connections;
  log: Log;
  /** The plugin that owns a path and is not active, if there is one. */
  unavailableAt(path: string): Unavailable | undefined;
}

/** Upgrades requests to WebSockets, through the gate. */
export interface SocketServer {
  /** Opens an address for sockets; gives back its undo. */
  add(record: SocketRecord): () => void;
  /** For the server's `upgrade` event. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  close(): Promise<void>;
}

/** Makes the WebSocket side of the kernel on crossws. */
export function createSocketServer({
  gate,
  connections,
  log,
  unavailableAt,
}: SocketHost): SocketServer {
  const router = createRouter<SocketRecord>();
  const accepted = new WeakMap<Request, Partial<Hooks>>();
  const adapter = nodeAdapter({
    resolve: (request) => accepted.get(request as Request) ?? {},
    serverOptions: { maxPayload: 16 * 1024 * 1024, perMessageDeflate: false },
  });

  async function accept(request: IncomingMessage): Promise<Partial<Hooks>> {
    const path = request.url?.split("?", 1)[0] ?? "";
    const match = findRoute(router, "GET", path);
    const head = new Head(request, match?.params ?? {}, "");
    const definition = match?.data.definition;
    const guarded = definition && {
      access: definition.access,
      servesHooks: false,
    };
    const { caller } = gate.pass(head, "upgrade", guarded);
    if (!match || !definition || match.data.owner.signal.aborted) {
      const { plugin: id, state } = unavailableAt(path) ?? {};
      throw id
        ? errors.PLUGIN_UNAVAILABLE({ id, state })
        : errors.ROUTE_NOT_FOUND();
    }
    if (definition.access === "self") await definition.authorize?.(head);
    return createHooks(match.data, head, caller);
  }

  function createHooks(
    { definition, owner }: SocketRecord,
    head: Head,
    caller: Caller | undefined,
  ): Partial<Hooks> {
    const largest = definition.maxMessage ?? DEFAULT_MAX_MESSAGE;
    const peers = new Map<string, { socket: SocketPeer; remove: () => void }>();
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
          peer.close(FAULT, "Internal error");
        }
      });
    return {
      open(peer) {
        const socket = toSocketPeer(peer, head, caller);
        const remove = connections.add({
          sessionId: caller?.sessionId,
          plugin: owner.plugin,
          end: (reason) =>
            peer.close(reason === "revoked" ? REVOKED : GOING_AWAY, reason),
        });
        peers.set(peer.id, { socket, remove });
        return guard(peer, () => definition.open?.(socket));
      },
      message(peer, message) {
        const known = peers.get(peer.id);
        if (!known) return;
        const data =
          typeof message.rawData === "string"
            ? message.rawData
            : message.uint8Array();
        const size =
          typeof data === "string" ? Buffer.byteLength(data) : data.byteLength;
        if (size > largest) return peer.close(TOO_LARGE, "Message too large");
        return guard(peer, () => definition.message?.(known.socket, data));
      },
      close(peer, details) {
        const known = peers.get(peer.id);
        if (!known) return;
        peers.delete(peer.id);
        known.remove();
        return guard(peer, () =>
          definition.close?.(known.socket, details.code ?? 1005),
        );
      },
    };
  }

  return {
    add(record) {
      const pattern = record.definition.path.replace(/\{(\w+)\}/g, ":$1");
      addRoute(router, "GET", pattern, record);
      return () => removeRoute(router, "GET", pattern);
    },
    handleUpgrade(request, socket, head) {
      // A peer that resets in the middle of the handshake is not a fault.
      socket.on("error", () => socket.destroy());
      accept(request).then(
        (hooks) => {
          const webRequest = new Request("http://upgrade.invalid/");
          accepted.set(webRequest, hooks);
          return adapter.handleUpgrade(request, socket, head, webRequest);
        },
        (thrown: unknown) => {
          const { problem, unexpected } = toProblem(thrown, "");
          if (unexpected)
            log.error(
              "Upgrade failed",
              { path: request.url?.split("?", 1)[0] },
              thrown,
            );
          // Nothing has parsed an answer for us here: this is the socket itself.
          socket.end(renderLastAnswer(problem));
        },
      );
    },
    async close() {
      adapter.closeAll(GOING_AWAY, "stopping");
      await adapter.close();
    },
  };
}

function toSocketPeer(
  peer: Peer,
  head: Head,
  caller: Caller | undefined,
): SocketPeer {
  return {
    params: head.params,
    search: head.search,
    caller,
    send: (data) => void peer.send(data),
    close: (code, reason) => peer.close(code, reason),
    get bufferedBytes() {
      return peer.websocket.bufferedAmount ?? 0;
    },
  };
}
