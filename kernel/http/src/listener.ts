import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { makeCertificate } from "./make-certificate.ts";
import type { Certificate } from "./make-certificate.ts";
import { limitPeers } from "./peer-limit.ts";
import { toProblem } from "./problem.ts";
import { endWithAnswer, renderLastAnswer } from "./reply.ts";
import { errors } from "./errors.ts";

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

/** Listeners of the servers' events. They may be replaced while the servers listen. */
export interface Handlers {
  request: (request: IncomingMessage, response: ServerResponse) => void;
  upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
}

/** Open listeners, one an address, on one port. */
export interface Listening {
  readonly port: number;
  readonly addresses: readonly string[];
  readonly servers: readonly Server[];
  /** The certificate in use, to be kept for the next start. */
  readonly certificate: Certificate | undefined;
  /** Accepts no new connections and closes idle ones. */
  stopAccepting(): void;
  /** Closes all open connections. */
  close(): Promise<void>;
}

/** Limits of connections. Header size and the number of headers are the parser's and the gate's. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_MS = 5_000;
const MAX_CONNECTIONS = 2048;
/** Interval in which Node checks the timeouts of connections. */
const CHECK_INTERVAL_MS = 1_000;

/**
 * Listens on exactly the addresses that were asked for.
 *
 * @throws with `code` `EADDRINUSE` if the port is taken
 */
export async function startListening(
  options: ListenOptions,
  handlers: Handlers,
): Promise<Listening> {
  const certificate =
    options.certificate === "self-signed"
      ? await makeCertificate()
      : options.certificate;
  const servers: Server[] = [];
  let port = options.port;
  try {
    for (const address of options.addresses) {
      const server = prepareServer(certificate, options, handlers);
      try {
        await once(server.listen(port, address), "listening");
      } catch (error) {
        // A machine without IPv6 is served on the other addresses.
        if (address.includes(":") && isMissingAddress(error)) continue;
        throw error;
      }
      servers.push(server);
      port = addressOf(server).port;
    }
  } catch (error) {
    await Promise.all(servers.map((server) => closeNow(server)));
    throw error;
  }
  return {
    port,
    addresses: servers.map((server) => addressOf(server).address),
    servers,
    certificate,
    stopAccepting() {
      for (const server of servers) {
        server.close();
        server.closeIdleConnections();
      }
    },
    async close() {
      await Promise.all(servers.map((server) => closeNow(server)));
    },
  };
}

/** Creates a server with its limits and listeners. It does not listen yet. */
function prepareServer(
  certificate: Certificate | undefined,
  { isUnlimited }: Pick<ListenOptions, "isUnlimited">,
  handlers: Handlers,
): Server {
  const options = {
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // By default Node checks every 30 s, so a slow client would be disconnected only after up to 40 s.
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
    // The gate checks hosts itself, and its answer says more than Node's own.
    requireHostHeader: false,
  };
  // Looked up for each event, since the handlers change while the ports are open.
  const answer = (request: IncomingMessage, response: ServerResponse) =>
    handlers.request(request, response);
  const server = certificate
    ? createSecureServer({ ...options, ...certificate }, answer)
    : createServer(options, answer);
  server.maxConnections = MAX_CONNECTIONS;
  // The gate limits the number of headers itself; Node would drop some silently, which the gate must see.
  server.maxHeadersCount = 0;
  // Between requests, and from an upgrade on, Node has no listener of its own: a client that resets its connection would be
  // an uncaught error.
  for (const event of ["connection", "secureConnection"])
    server.on(event, (socket: Socket) => socket.on("error", ignoreReset));
  limitPeers(server, isUnlimited);
  return (
    server
      .on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) =>
        handlers.upgrade(request, socket, head),
      )
      // Other values of `Expect` are ignored, as the standard allows.
      .on("checkExpectation", answer)
      .on("clientError", answerParserError)
  );
}

function addressOf(server: Server): AddressInfo {
  return server.address() as AddressInfo;
}

async function closeNow(server: Server): Promise<void> {
  // `close` waits for every open answer, and an event stream never ends by itself.
  server.closeAllConnections();
  if (!server.listening) return;
  await new Promise((resolve) => server.close(resolve));
}

function isMissingAddress(error: unknown): boolean {
  const { code = "" } = error as NodeJS.ErrnoException;
  return code === "EADDRNOTAVAIL" || code === "EAFNOSUPPORT";
}

/** Node destroys the socket, which emits `close` for its users. */
function ignoreReset(): void {}

function answerParserError(
  fault: Error & { code?: string },
  socket: Duplex,
): void {
  // Node's record of the response in progress; one that has begun must not get another in its middle.
  const { _httpMessage: begun } = socket as { _httpMessage?: ServerResponse };
  if (!socket.writable || begun?.headersSent || fault.code === "ECONNRESET")
    return void socket.destroy();
  if (begun?.req.complete) {
    // The fault is in what followed a complete request that is still being handled: this must not become its answer.
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
