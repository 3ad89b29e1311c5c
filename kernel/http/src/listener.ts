import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { listen } from "listhen";
import type { Listener } from "listhen";
import { isLoopbackAddress } from "./peer-address.ts";
import { toProblem } from "./problem.ts";
import { endWithAnswer, renderLastAnswer } from "./reply.ts";
import { errors } from "@gantry/system/errors";

/** A certificate and its key, as PEM. */
export interface Certificate {
  key: string;
  cert: string;
}

/** Where to listen. */
export interface ListenOptions {
  /** Addresses to bind, such as `127.0.0.1` and `::1`. An IPv6 address is passed over where there is no IPv6. */
  addresses: readonly string[];
  /** 0 takes any free port, the same for all addresses. */
  port: number;
  /** HTTPS: a certificate, or `"self-signed"` to make one. */
  certificate?: Certificate | "self-signed";
  /** Whether an address may have any number of connections open, as a proxy does for all whom it serves. */
  isUnlimited?(address: string): boolean;
}

/** What answers. */
export interface Handlers {
  request(request: IncomingMessage, response: ServerResponse): unknown;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** Open listeners, one an address, on one port. */
export interface Listening {
  readonly port: number;
  readonly addresses: readonly string[];
  /** The certificate in use, to be kept for the next start. */
  readonly certificate: Certificate | undefined;
  /** No new connections; those that are idle are closed. */
  stopAccepting(): void;
  /** Cuts what is still open. */
  close(): Promise<void>;
}

/** Settings of each server. listhen makes it, so they cannot be given as options. */
const SERVER_SETTINGS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
  maxConnections: 2048,
  // Node's 30 s would let a client that sends a byte now and then stay for up to 40 s.
  connectionsCheckingInterval: 1_000,
  // The gate counts headers itself; dropping some would hide what it must see.
  maxHeadersCount: 0,
  // It checks hosts too, and its answer says more than Node's own.
  requireHostHeader: false,
};
/** Connections that one other machine may have open; this one itself is trusted with all there are. */
const MAX_PEER_CONNECTIONS = 128;

/**
 * Listens on exactly the addresses that were asked for, whatever `HOST`, `PORT` or `NODE_ENV` say, and checks that it
 * came out so.
 *
 * @throws with `code` `EADDRINUSE` if the port is taken
 */
export async function startListening(
  options: ListenOptions,
  handlers: Handlers,
): Promise<Listening> {
  const listeners: Listener[] = [];
  let port = options.port;
  let certificate = options.certificate;
  try {
    for (const address of options.addresses) {
      const listener = await listenOn(
        address,
        { ...options, port, certificate },
        handlers,
      ).catch((error: unknown) => {
        // No IPv6 on this machine is no reason not to serve.
        if (address.includes(":") && isMissingAddress(error)) return undefined;
        throw error;
      });
      if (!listener) continue;
      listeners.push(listener);
      port = (listener.address as AddressInfo).port;
      if (listener.https)
        certificate = {
          key: String(listener.https.key),
          cert: String(listener.https.cert),
        };
    }
  } catch (error) {
    await Promise.all(listeners.map((listener) => closeNow(listener)));
    throw error;
  }
  const servers = listeners.map((listener) => listener.server as Server);
  return {
    port,
    addresses: listeners.map(
      (listener) => (listener.address as AddressInfo).address,
    ),
    certificate: typeof certificate === "object" ? certificate : undefined,
    stopAccepting() {
      for (const server of servers) {
        server.close();
        server.closeIdleConnections();
      }
    },
    async close() {
      await Promise.all(listeners.map((listener) => closeNow(listener)));
    },
  };
}

async function listenOn(
  address: string,
  { port, certificate, isUnlimited }: Omit<ListenOptions, "addresses">,
  handlers: Handlers,
): Promise<Listener> {
  const onRequest = (request: IncomingMessage, response: ServerResponse) =>
    handlers.request(request, response);
  // listhen hands this to the server's `upgrade` event, which gives three arguments; its type knows of two.
  const onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) =>
    handlers.upgrade(request, socket, head);
  const listener = await listen(onRequest, {
    // With isProd a busy port is an error; without it listhen would move to another one.
    isProd: true,
    isTest: false,
    public: false,
    hostname: address,
    port: port === 0 ? { random: true, host: address } : port,
    showURL: false,
    autoClose: false,
    ws: onUpgrade as never,
    https:
      certificate === "self-signed"
        ? {
            validityDays: 365,
            domains: ["localhost", "gantry.localhost", "127.0.0.1", "::1"],
          }
        : (certificate ?? false),
  }).catch(async (error: unknown) => {
    // listhen only says that it found no port; the system knows why.
    throw (await tryBinding(address, port)) ?? error;
  });
  const bound = listener.address as AddressInfo;
  if (bound.address !== address || (port !== 0 && bound.port !== port)) {
    await closeNow(listener);
    const error = new Error(
      `Asked for ${address}, port ${port}, but got ${bound.address}, port ${bound.port}.`,
    );
    throw bound.port === port
      ? error
      : Object.assign(error, { code: "EADDRINUSE" });
  }
  const server = listener.server as Server;
  // listhen adds a listener that follows the socket of each request, which one that was destroyed has no longer: that
  // would end the daemon. Connections are closed here.
  server.removeAllListeners("request").on("request", onRequest);
  Object.assign(server, SERVER_SETTINGS);
  // Node begins to look for late connections when it is told that it listens.
  server.emit("listening");
  // Between requests, and from an upgrade on, Node has no listener of its own: a client that resets its connection would be
  // an uncaught error.
  for (const event of ["connection", "secureConnection"])
    server.on(event, (socket: Socket) => socket.on("error", ignoreReset));
  limitPeers(server, isUnlimited);
  // What is expected beyond the usual is passed over, as the standard allows.
  server.on("checkExpectation", onRequest);
  server.on("clientError", answerParserError);
  return listener;
}

/** Cuts off what a single other machine opens beyond its share, so that it cannot keep out all others. */
function limitPeers(
  server: Server,
  isUnlimited: ListenOptions["isUnlimited"],
): void {
  const counts = new Map<string, number>();
  server.on("connection", (socket: Socket) => {
    const peer = socket.remoteAddress ?? "";
    const count = (counts.get(peer) ?? 0) + 1;
    if (
      count > MAX_PEER_CONNECTIONS &&
      !isLoopbackAddress(peer) &&
      !isUnlimited?.(peer)
    )
      return void socket.destroy();
    counts.set(peer, count);
    socket.once("close", () => {
      const left = (counts.get(peer) ?? 1) - 1;
      if (left > 0) counts.set(peer, left);
      else counts.delete(peer);
    });
  });
}

/** The system's own reason why an address cannot be bound, `undefined` if it can. */
function tryBinding(address: string, port: number): Promise<Error | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server
      .once("error", resolve)
      .listen(port, address, () => server.close(() => resolve(undefined)));
  });
}

async function closeNow(listener: Listener): Promise<void> {
  // listhen waits for every open answer, and an event stream never ends by itself.
  (listener.server as Server).closeAllConnections();
  await listener.close();
}

function isMissingAddress(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException;
  return /EADDRNOTAVAIL|EAFNOSUPPORT/.test(`${code} ${message}`);
}

/** Node destroys the socket, which emits `close` for its users. */
function ignoreReset(): void {}

function answerParserError(
  fault: Error & { code?: string },
  socket: Duplex,
): void {
  // Node's own record of the answer that is on its way; one that has begun must not get another in its middle.
  const { _httpMessage: begun } = socket as { _httpMessage?: ServerResponse };
  if (!socket.writable || begun?.headersSent || fault.code === "ECONNRESET")
    return void socket.destroy();
  if (begun?.req.complete) {
    // A whole request is being answered, and what is wrong came behind it: that must not be taken for its answer.
    begun.shouldKeepAlive = false;
    return;
  }
  const error =
    fault.code === "HPE_HEADER_OVERFLOW"
      ? errors.HTTP_HEADERS_TOO_LARGE()
      : fault.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? errors.HTTP_TIMEOUT()
        : errors.HTTP_BAD_REQUEST();
  endWithAnswer(socket, renderLastAnswer(toProblem(error, "").problem));
}
