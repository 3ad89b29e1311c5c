import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** A web server on 127.0.0.1 whose pages have `page` as their body, and all requests that it got. */
export interface Site extends AsyncDisposable {
  readonly port: number;
  readonly requests: IncomingMessage[];
}

/** Starts the server. Each answer sets the cookie `kept=1`, which stays for a day. */
export async function startSite(page = "<title>Shop</title>"): Promise<Site> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    response
      .writeHead(200, {
        "content-type": "text/html; charset=utf-8",
        "set-cookie": "kept=1; max-age=86400",
      })
      .end(page);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
