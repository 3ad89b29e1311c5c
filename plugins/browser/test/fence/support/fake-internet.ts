import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createHash } from "node:crypto";
import { createSocket } from "node:dgram";
import { connect as connectSocket } from "node:net";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import type { Duplex } from "node:stream";
import { toAddressKind } from "../../../src/fence/address-kind.ts";
import type { Connect } from "../../../src/fence/connect.ts";

/**
 * Host names in the tests; public addresses are in the range for documentation. Some resolve to addresses that must be
 * refused.
 */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  localhost: ["127.0.0.1", "::1"],
  "site.test": ["203.0.113.10"],
  "www.site.test": ["203.0.113.10"],
  "evil.test": ["203.0.113.66"],
  "inside.site.test": ["127.0.0.1"],
  "mixed.site.test": ["203.0.113.10", "127.0.0.1"],
  "mapped.site.test": ["::ffff:127.0.0.1"],
  "meta.site.test": ["169.254.169.254"],
  "lan.site.test": ["10.0.0.1"],
};

/** Responses of the site: a page by path, or a handler. */
export type Pages = Readonly<
  Record<
    string,
    string | ((request: IncomingMessage, response: ServerResponse) => void)
  >
>;

/** A network on loopback: Gantry's stand-in, a site, and host names that resolve to forbidden addresses. */
export interface FakeInternet {
  /** The `v` of each request that has reached Gantry's stand-in, `udp` for a packet. */
  readonly reached: Set<string>;
  /** Hosts of the requests that reached the public sites. */
  readonly visited: string[];
  readonly gantryPort: number;
  /** A local port that serves the site as well, like a developer's own server. */
  readonly sitePort: number;
  /** The kernel's `ctx.connect` with these names. Allows every address by itself. */
  readonly connect: Connect;
  close(): Promise<void>;
}

/** Opens the network. The pages are functions of Gantry's port. */
export async function openFakeInternet(
  pagesAt: (gantryPort: number) => Pages,
): Promise<FakeInternet> {
  const reached = new Set<string>();
  const visited: string[] = [];
  const see = ({ url = "/" }: IncomingMessage) =>
    void reached.add(new URL(url, "http://x").searchParams.get("v") ?? url);
  const gantry = createServer((request, response) => {
    see(request);
    const isScript = request.url?.includes("js=1");
    response
      .writeHead(200, {
        "content-type": isScript ? "text/javascript" : "text/html",
        "access-control-allow-origin": "*",
      })
      .end(isScript ? "" : "<h1>Gantry</h1>");
  });
  gantry.on("upgrade", (request, socket) => {
    see(request);
    acceptSocket(request, socket);
  });
  const gantryPort = await listen(gantry);
  const udp = createSocket("udp4").on("message", () => reached.add("udp"));
  udp.bind(gantryPort, "127.0.0.1");
  await once(udp, "listening");

  const pages = pagesAt(gantryPort);
  const site = createServer((request, response) => {
    const { host = "" } = request.headers;
    visited.push(host);
    const url = new URL(request.url ?? "/", "http://site.test");
    const page = pages[url.pathname];
    if (typeof page === "function") return page(request, response);
    if (url.pathname === "/redirect")
      return void response
        .writeHead(302, {
          location: url.searchParams.get("to") ?? "/",
          "access-control-allow-origin": "*",
        })
        .end();
    response
      .writeHead(page === undefined ? 404 : 200, {
        "content-type": url.pathname.endsWith(".js")
          ? "text/javascript"
          : "text/html",
      })
      .end(page ?? "not found");
  });
  site.on("upgrade", acceptSocket);
  const sitePort = await listen(site);

  let lookups = 0;
  const lookUp = (host: string): readonly string[] =>
    // Resolves to a public address first and to this machine afterwards (DNS rebinding).
    host === "rebind.site.test"
      ? [lookups++ === 0 ? "203.0.113.10" : "127.0.0.1"]
      : (NAMES[host] ??
        (host.includes(":") || /^[\d.]+$/.test(host) ? [host] : []));

  return {
    reached,
    visited,
    gantryPort,
    sitePort,
    async connect({ host, port, judge, signal }) {
      const addresses = lookUp(host);
      if (addresses.length === 0)
        throw Object.assign(new Error("unknown name"), { code: "ENOTFOUND" });
      const refusal = judge?.(
        addresses.map((address) => ({
          address,
          family: address.includes(":") ? 6 : 4,
          // Simulates a kernel whose own table is empty: the plugin's table must be sufficient.
          kind: toAddressKind(address) === "loopback" ? "loopback" : "public",
        })),
      );
      if (refusal)
        throw Object.assign(new Error(refusal), { code: "OUTBOUND_REFUSED" });
      const isPublic = addresses[0]!.startsWith("203.0.113.");
      const socket = connectSocket({
        host: "127.0.0.1",
        port: isPublic ? sitePort : port,
        signal,
      });
      await once(socket, "connect");
      return socket;
    },
    async close() {
      udp.close();
      for (const server of [gantry, site]) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

function acceptSocket({ headers }: IncomingMessage, socket: Duplex): void {
  socket.on("error", () => socket.destroy());
  const key = `${headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
  const accept = createHash("sha1").update(key).digest("base64");
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
}
