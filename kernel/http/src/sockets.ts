import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { WebSocket, WebSocketServer } from "ws";
import { runInContext } from "@gantry/system/context/work-context";
import { errors } from "@gantry/system/errors";
import { malformed } from "./gate.ts";
import type { HttpRequest, Upgrade } from "./http-request.ts";
import type { SocketRecord } from "./route-table.ts";
import { GOING_AWAY, serveSocket } from "./serve-socket.ts";
import type { SocketHost } from "./serve-socket.ts";

const DEFAULT_MAX_MESSAGE_BYTES = 64 * 1024;
/** Sockets that one session may have open, and all together. */
const MAX_OF_SESSION = 64;
const MAX_SOCKETS = 256;
/** A client that answers no ping for this long is disconnected. */
const IDLE_TIMEOUT_MS = 15_000;

/** Opens WebSockets for requests that the gate let through. */
export type SocketServer = ReturnType<typeof createSocketServer>;

/** Makes the WebSocket side of the kernel on `ws`. */
export function createSocketServer(host: SocketHost) {
  /** Connections of sockets, from their handshake on, with their session. Those without a session share one count. */
  const places = new Map<Duplex, string>();
  /** By largest message, since a piece of one that is too large must not even be kept. */
  const servers = new Map<number, WebSocketServer>();
  /** Those that have answered since they were asked last. */
  const alive = new WeakSet<WebSocket>();

  /** With the first socket its library is loaded, which no start needs. */
  async function serverFor(maxPayload: number): Promise<WebSocketServer> {
    const { WebSocketServer: Server } = await import("ws");
    let server = servers.get(maxPayload);
    if (!server) {
      server = new Server({
        noServer: true,
        maxPayload,
        perMessageDeflate: false,
        handleProtocols: () => false,
      });
      servers.set(maxPayload, server);
    }
    return server;
  }

  /** @throws `SOCKET_TOO_MANY` */
  function takePlace(connection: Duplex, session = ""): void {
    const own = [...places.values()].filter((each) => each === session);
    if (own.length >= MAX_OF_SESSION || places.size >= MAX_SOCKETS)
      throw errors.SOCKET_TOO_MANY({ most: MAX_OF_SESSION });
    places.set(connection, session);
    connection.once("close", () => places.delete(connection));
  }

  const sockets = () =>
    [...servers.values()].flatMap(({ clients }) => [...clients]);

  const sweep = setInterval(() => {
    for (const socket of sockets()) {
      if (!alive.delete(socket)) socket.terminate();
      else socket.ping();
    }
  }, IDLE_TIMEOUT_MS).unref();

  return {
    /**
     * Asks the plugin, and opens the socket unless the client left meanwhile.
     *
     * @param refuse Makes the error for a plugin that has stopped.
     * @throws the error that the client gets instead
     */
    async open(
      record: SocketRecord,
      request: HttpRequest,
      { socket, head }: Upgrade,
      refuse: () => Error,
    ): Promise<void> {
      const { definition, owner } = record;
      const { message, caller } = request;
      if (!isHandshake(message)) throw malformed();
      // From here on the socket has a place, whatever happens to it, and gives it back when it is closed.
      if (socket.destroyed) return;
      takePlace(socket, caller?.sessionId);
      await runInContext({ plugin: owner.plugin }, async () => {
        if (definition.access === "self") await definition.authorize?.(request);
        await definition.admit?.(request);
      });
      const { maxMessage = DEFAULT_MAX_MESSAGE_BYTES } = definition;
      const server = await serverFor(maxMessage);
      if (socket.destroyed) return;
      // The plugin may have stopped, or the session have been revoked, in the meantime.
      if (owner.signal.aborted) throw refuse();
      if (!host.connections.isCurrent(caller)) throw errors.AUTH_NOT_PAIRED();
      server.handleUpgrade(message, socket, head, (opened) => {
        const noteAlive = () => alive.add(opened);
        for (const event of ["message", "ping", "pong"])
          opened.on(event, noteAlive);
        noteAlive();
        serveSocket(host, record, request, opened);
      });
    },
    /** Sockets that are open or in their handshake. */
    get connected() {
      return places.size;
    },
    close(): void {
      clearInterval(sweep);
      for (const socket of sockets()) socket.close(GOING_AWAY, "stopping");
    },
  };
}

/** 16 bytes in base64. */
const KEY = /^[\w+/]{22}==$/;

/**
 * Whether a request is the opening of a WebSocket (RFC 6455, 4.2.1). `ws` would answer one that is not in words of its own,
 * and takes drafts of the protocol for it.
 */
function isHandshake({ method, headers }: IncomingMessage): boolean {
  return (
    method === "GET" &&
    headers.upgrade?.toLowerCase() === "websocket" &&
    headers["sec-websocket-version"] === "13" &&
    KEY.test(headers["sec-websocket-key"] ?? "")
  );
}
