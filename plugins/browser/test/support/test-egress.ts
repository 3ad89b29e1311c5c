import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Answers a request for an absolute address, such as `http://site.test/page`. */
export type Site = (
  url: URL,
  response: ServerResponse,
  request: IncomingMessage,
) => void;

/** Pages by path; every other path is a 404. */
export function sitePages(pages: Record<string, string>): Site {
  return ({ pathname }, response) => {
    const page = pages[pathname];
    response
      .writeHead(page === undefined ? 404 : 200, {
        "content-type": "text/html; charset=utf-8",
      })
      .end(page ?? "not found");
  };
}

/** A proxy with a password that answers for every host itself, so that tests reach nothing else. */
export async function openTestEgress(site: Site) {
  const password = randomBytes(16).toString("hex");
  const expected = `Basic ${Buffer.from(`gantry:${password}`).toString("base64")}`;
  const asked: string[] = [];
  const server = createServer((request, response) => {
    if (request.headers["proxy-authorization"] !== expected)
      return void response
        .writeHead(407, { "proxy-authenticate": 'Basic realm="gantry"' })
        .end();
    const url = new URL(request.url ?? "", "http://none.invalid");
    asked.push(url.href);
    if (/\.(test|localhost)$/.test(url.hostname)) site(url, response, request);
    else response.writeHead(403, { "x-gantry-refused": "1" }).end("refused");
  });
  server.on("connect", (_, socket) =>
    socket.end("HTTP/1.1 403 Forbidden\r\n\r\n"),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    password,
    asked,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
