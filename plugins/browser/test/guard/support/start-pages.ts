import { once } from "node:events";
import { createServer } from "node:http";
import type { RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

/** Pages by their paths: the body, or a handler. */
export type Pages = Readonly<Record<string, string | RequestListener>>;

/** Starts a web server on 127.0.0.1. `/redirect?to=…` redirects, and paths that end with `.js` are scripts. */
export async function startPages(
  pages: Pages,
): Promise<AsyncDisposable & { readonly port: number }> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://x");
    if (url.pathname === "/redirect")
      return void response
        .writeHead(302, { location: url.searchParams.get("to") ?? "/" })
        .end();
    const page = pages[url.pathname];
    if (typeof page === "function") return page(request, response);
    response
      .writeHead(page === undefined ? 404 : 200, {
        "content-type": url.pathname.endsWith(".js")
          ? "text/javascript"
          : "text/html; charset=utf-8",
      })
      .end(page ?? "not found");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
