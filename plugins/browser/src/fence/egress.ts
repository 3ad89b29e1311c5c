import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { forwardRequest, sendRefusal } from "./forward-request.ts";
import { createDialer, DialError } from "./judged-dialer.ts";
import type { DialerOptions } from "./judged-dialer.ts";

/** User name that goes with the password. */
export const EGRESS_USER = "gantry";
const MAX_CONNECTIONS = 512;
const MAX_HEADER_BYTES = 64 * 1024;
const HEADERS_TIMEOUT_MS = 30_000;

/** The outcome of a requested connection. */
export interface EgressEntry {
  /** Such as `http://example.com:80`, or `example.com:443` for a tunnel. */
  target: string;
  reason: string;
}

/** Dependencies of {@link openEgress}. */
export interface EgressOptions extends DialerOptions {
  /** Called for each connection that the rules refuse. */
  onRefused?(entry: EgressEntry): void;
}

/** Network access of one browser: an HTTP proxy on 127.0.0.1. */
export interface Egress {
  readonly port: number;
  readonly password: string;
  /** Closes tunnels that the current rules would refuse; call it when the rules have changed. */
  review(): void;
  /** Closes the proxy with all its connections. Idempotent. */
  close(): Promise<void>;
}

interface Tunnel {
  host: string;
  port: number;
  socket: Duplex;
}

/** Opens the egress of one profile. It serves only clients that have its password. */
export async function openEgress(options: EgressOptions): Promise<Egress> {
  const dialer = createDialer(options);
  const password = randomBytes(32).toString("base64url");
  const isOurs = createKeyCheck(password);
  const tunnels = new Set<Tunnel>();
  const closing = new AbortController();

  const report = (target: string, error: unknown) => {
    if (error instanceof DialError && error.isRefused)
      options.onRefused?.({ target, reason: error.message });
  };

  async function onRequest(request: IncomingMessage, response: ServerResponse) {
    response.sendDate = false;
    if (!isOurs(request)) {
      response.setHeader("proxy-authenticate", CHALLENGE);
      return sendRefusal(
        request,
        response,
        407,
        "Access to this proxy is denied.",
      );
    }
    await forwardRequest(request, response, {
      dialer,
      signal: closing.signal,
      onError: report,
    });
  }

  async function onConnect(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
  ) {
    socket.on("error", () => socket.destroy());
    if (!isOurs(request))
      return socket.end(
        `HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: ${CHALLENGE}\r\n${EMPTY}`,
      );
    const target = parseTarget(request.url ?? "");
    if (!target) return socket.end(`HTTP/1.1 400 Bad Request\r\n${EMPTY}`);
    const tunnel = { ...target, socket };
    // Registered before it is dialled, so that a change of the rules ends it as well.
    tunnels.add(tunnel);
    socket.on("close", () => tunnels.delete(tunnel));
    try {
      await openTunnel(tunnel, head);
    } catch (error) {
      report(`${target.host}:${target.port}`, error);
      const isRefused = error instanceof DialError && error.isRefused;
      socket.end(
        `HTTP/1.1 ${isRefused ? "403 Forbidden" : "502 Bad Gateway"}\r\n${EMPTY}`,
      );
    }
  }

  async function openTunnel({ host, port, socket }: Tunnel, head: Buffer) {
    const gone = new AbortController();
    const onClose = () => gone.abort();
    socket.on("close", onClose);
    const signal = AbortSignal.any([closing.signal, gone.signal]);
    const remote = await dialer.dial(host, port, signal);
    remote.on("error", () => socket.destroy());
    remote.on("close", () => socket.destroy());
    socket.on("close", () => remote.destroy());
    if (socket.destroyed) return remote.destroy();
    socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
    if (head.length > 0) remote.write(head);
    remote.pipe(socket).pipe(remote);
  }

  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: HEADERS_TIMEOUT_MS,
    // An upload has no time limit.
    requestTimeout: 0,
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.on(
    "request",
    (request, response) => void onRequest(request, response),
  );
  server.on(
    "connect",
    (request, socket, head) => void onConnect(request, socket, head),
  );
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    password,
    review() {
      for (const { host, port, socket } of tunnels)
        if (dialer.judge(host, port) !== null) socket.destroy();
    },
    async close() {
      if (closing.signal.aborted) return;
      closing.abort();
      const closed = new Promise((resolve) => server.close(resolve));
      for (const { socket } of tunnels) socket.destroy();
      server.closeAllConnections();
      await closed;
    },
  };
}

const CHALLENGE = 'Basic realm="Gantry"';
const EMPTY = "Content-Length: 0\r\nConnection: close\r\n\r\n";

function createKeyCheck(
  password: string,
): (request: IncomingMessage) => boolean {
  const hash = (text: string) => createHash("sha256").update(text).digest();
  const expected = hash(
    `Basic ${Buffer.from(`${EGRESS_USER}:${password}`).toString("base64")}`,
  );
  return ({ headers }) =>
    timingSafeEqual(hash(headers["proxy-authorization"] ?? ""), expected);
}

/** Parses the target of a tunnel: a host and an explicit port, nothing else. */
function parseTarget(text: string): { host: string; port: number } | undefined {
  const [, host, port] =
    /^(\[[\da-f:.]+\]|[^\s:/?#@\\[\]]+):(\d{1,5})$/i.exec(text) ?? [];
  if (host === undefined || !URL.canParse(`http://${host}:${port}/`))
    return undefined;
  // The URL parser also accepts the other notations of an IPv4 address.
  return { host: new URL(`http://${host}/`).hostname, port: Number(port) };
}
