import { createSocket } from "node:dgram";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { IncomingMessage, RequestListener, Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

/** A server of this machine that pages must not reach, and what reached it. */
export interface ForbiddenServer extends AsyncDisposable {
  readonly port: number;
  /** The `v` of each request, `udp` for a packet. */
  readonly reached: Set<string>;
}

/** Starts the server, which listens on one port for TCP and for UDP. */
export async function startForbiddenServer(): Promise<ForbiddenServer> {
  const reached = new Set<string>();
  const note = ({ url = "/" }: IncomingMessage) =>
    reached.add(new URL(url, "http://x").searchParams.get("v") ?? url);
  const server = createServer((request, response) => {
    note(request);
    const isScript = request.url?.includes("js=1");
    response
      .writeHead(200, {
        "content-type": isScript ? "text/javascript" : "text/html",
        "access-control-allow-origin": "*",
      })
      .end(isScript ? "" : "<h1>Forbidden</h1>");
  });
  server.on("upgrade", (request, socket) => {
    note(request);
    socket.destroy();
  });
  const port = await listen(server);
  const udp = createSocket("udp4").on("message", () => reached.add("udp"));
  udp.bind(port, "127.0.0.1");
  await once(udp, "listening");
  return {
    ...{ port, reached },
    async [Symbol.asyncDispose]() {
      udp.close();
      await stop(server);
    },
  };
}

const ATTACK = readFileSync(join(import.meta.dirname, "attack.html"), "utf8");

/** Scripts of the attacking page; `port` is replaced by that of the request. */
const SCRIPTS: Readonly<Record<string, string>> = {
  "/worker.js": `
    const done = () => postMessage(0);
    const socket = new WebSocket("ws://127.0.0.1:PORT/?v=worker-websocket");
    try { importScripts("http://127.0.0.1:PORT/?v=worker-import&js=1"); } catch {}
    fetch("http://127.0.0.1:PORT/?v=worker", { mode: "no-cors" }).catch(() => {}).then(() => {
      if (socket.readyState) done();
      else socket.onopen = socket.onerror = done;
    });`,
  "/shared.js": `
    onconnect = ({ ports }) => ports[0].postMessage(0);
    fetch("http://127.0.0.1:PORT/?v=shared-worker", { mode: "no-cors" }).catch(() => {});`,
  "/sw.js": `
    fetch("http://127.0.0.1:PORT/?v=service-worker", { mode: "no-cors" }).catch(() => {});
    new WebSocket("ws://127.0.0.1:PORT/?v=service-worker-websocket");`,
};

/** Starts the server of the attacking page, `/attack?port=…`, which ends at `/blank`. */
export async function startAttackSite(): Promise<
  AsyncDisposable & { readonly port: number }
> {
  const answer: RequestListener = (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://x");
    if (pathname === "/redirect")
      return void response
        .writeHead(302, {
          location: searchParams.get("to") ?? "/",
          "access-control-allow-origin": "*",
        })
        .end();
    const script = SCRIPTS[pathname];
    response.setHeader(
      "content-type",
      script === undefined ? "text/html" : "text/javascript",
    );
    response.end(
      script?.replaceAll("PORT", searchParams.get("port") ?? "") ??
        (pathname === "/attack" ? ATTACK : "<title>blank</title>"),
    );
  };
  const server = createServer(answer);
  return {
    port: await listen(server),
    [Symbol.asyncDispose]: () => stop(server),
  };
}

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

async function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
