import { once } from "node:events";
import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A page as HTML, or a function that answers by itself. */
export type SitePage = string | ((response: ServerResponse) => void);

/** A web server on 127.0.0.1 with several pages. */
export interface Pages extends AsyncDisposable {
  /** Address of a page at a host name that leads to 127.0.0.1. */
  url(path: string, host?: string): string;
}

/** Starts the server; the keys are paths. Anything else is an empty page. */
export async function startPages(
  pages: Readonly<Record<string, SitePage>>,
): Promise<Pages> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://site");
    const page = pages[pathname] ?? "";
    if (typeof page === "function") return page(response);
    response
      .writeHead(200, { "content-type": "text/html; charset=utf-8" })
      .end(page);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: (path, host = "shop.test") => `http://${host}:${port}${path}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Answers with an attachment of `announced` bytes; sends `bytes` of them, or until the client leaves. */
export function sendFile(
  response: ServerResponse,
  file: { name: string; announced: number; bytes: number },
): void {
  response.writeHead(200, {
    "content-type": "application/octet-stream",
    "content-length": file.announced,
    "content-disposition": `attachment; filename*=UTF-8''${encodeURIComponent(file.name)}`,
  });
  let left = file.bytes;
  const more = () => {
    while (left > 0 && !response.destroyed) {
      const size = Math.min(left, 65_536);
      left -= size;
      if (!response.write(Buffer.alloc(size, 7)))
        return void response.once("drain", more);
    }
    if (file.bytes === file.announced) response.end();
  };
  more();
}
