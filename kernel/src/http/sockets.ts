import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import nodeAdapter from "crossws/adapters/node";
import type { Hooks } from "crossws";
import { addRoute, createRouter, findRoute, removeRoute } from "rou3";
import type { Disposer } from "@gantry/plugin";
import { runInContext } from "../context/work-context.ts";
import { errors } from "../errors.ts";
import { malformed } from "./gate.ts";
import type { Gate } from "./gate.ts";
import { isHandshake } from "./handshake.ts";
import { toPattern, toShape } from "./path-pattern.ts";
import type { Peers } from "./peer-address.ts";
import { toProblem } from "./problem.ts";
import { endWithAnswer, renderLastAnswer } from "./reply.ts";
import { HttpRequest, pathOf } from "./http-request.ts";
import { checkAccess } from "./route-table.ts";
import { createSocketHooks, GOING_AWAY } from "./socket-hooks.ts";
import type { SocketHooksHost, SocketRecord } from "./socket-hooks.ts";
import { createSocketQuota } from "./socket-quota.ts";

const DEFAULT_MAX_MESSAGE_BYTES = 64 * 1024;
/** A client that answers no ping for this long is disconnected. */
const IDLE_TIMEOUT_S = 15;

/** Dependencies of {@link createSocketServer}. */
export interface SocketHost extends SocketHooksHost {
  gate: Gate;
  peers: Peers;
  /** The error for a path whose plugin is not active. */
  unavailableAt(path: string): Error | undefined;
}

/** A socket that was let in. */
interface Admission {
  hooks: Partial<Hooks>;
  /** Largest message in bytes. */
  maxMessage: number;
}

/** Upgrades requests to WebSockets, through the gate. */
export interface SocketServer {
  /** Opens an address for sockets. Throws a TypeError if it is taken. */
  add(record: SocketRecord): Disposer;
  /** How many addresses there are. */
  readonly size: number;
  /** Sockets that are open or in their handshake. */
  readonly connected: number;
  /** For the server's `upgrade` event. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  close(): Promise<void>;
}

/** Makes the WebSocket side of the kernel on crossws. */
export function createSocketServer(host: SocketHost): SocketServer {
  const { gate, peers, connections, log, unavailableAt } = host;
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
        idleTimeout: IDLE_TIMEOUT_S,
        serverOptions: { maxPayload, perMessageDeflate: false },
      });
      adapters.set(maxPayload, adapter);
    }
    return adapter;
  }

  /** Lets a socket in, or throws. `undefined` for one whose client left meanwhile. */
  async function admit(
    message: IncomingMessage,
    socket: Duplex,
  ): Promise<Admission | undefined> {
    const path = pathOf(message);
    const match = findRoute(router, "GET", path);
    const request = new HttpRequest({ message, params: match?.params, peers });
    const definition = match?.data.definition;
    const guarded = definition && {
      access: definition.access,
      servesHooks: false,
    };
    const caller = gate.pass(request, "upgrade", guarded);
    if (!match || !definition || match.data.owner.signal.aborted)
      throw unavailableAt(path) ?? errors.ROUTE_NOT_FOUND();
    if (!isHandshake(message)) throw malformed();
    // From here on the socket has a place, whatever happens to it, and gives it back when it is closed.
    if (socket.destroyed) return undefined;
    socket.once("close", quota.take(caller?.sessionId));
    const { owner } = match.data;
    await runInContext({ plugin: owner.plugin }, async () => {
      if (definition.access === "self") await definition.authorize?.(request);
      await definition.admit?.(request);
    });
    if (socket.destroyed) return undefined;
    // The plugin may have stopped, or the session have been revoked, in the meantime.
    if (owner.signal.aborted)
      throw unavailableAt(path) ?? errors.ROUTE_NOT_FOUND();
    if (!connections.isCurrent(caller)) throw errors.AUTH_NOT_PAIRED();
    return {
      hooks: createSocketHooks(host, match.data, request, caller),
      maxMessage: definition.maxMessage ?? DEFAULT_MAX_MESSAGE_BYTES,
    };
  }

  function refuse(
    request: IncomingMessage,
    socket: Duplex,
    thrown: unknown,
  ): void {
    const path = pathOf(request);
    const { problem, unexpected } = toProblem(thrown, "");
    if (unexpected) {
      const plugin = findRoute(router, "GET", path)?.data.owner.plugin;
      log.error("Upgrade failed", { path, plugin }, thrown);
    }
    // Node has no response for an upgrade: this is the socket itself.
    endWithAnswer(socket, renderLastAnswer(problem));
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
    get connected() {
      return quota.size;
    },
    handleUpgrade(request, socket, head) {
      admit(request, socket)
        .then((admission) => {
          if (!admission) return;
          const webRequest = new Request("http://upgrade.invalid/");
          accepted.set(webRequest, admission.hooks);
          const adapter = adapterFor(admission.maxMessage);
          return adapter.handleUpgrade(request, socket, head, webRequest);
        })
        .catch((thrown: unknown) => refuse(request, socket, thrown));
    },
    async close() {
      for (const adapter of adapters.values()) {
        adapter.closeAll(GOING_AWAY, "stopping");
        await adapter.close();
      }
    },
  };
}
