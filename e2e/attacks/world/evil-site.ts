import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A foreign server on this machine: an agent's development server, another tool's UI. */
export interface EvilSite extends AsyncDisposable {
  readonly port: number;
  /** Cookie headers that it was sent. */
  readonly cookies: string[];
}

/** Starts one that answers everything with an empty page. */
export async function startEvilSite(): Promise<EvilSite> {
  const cookies: string[] = [];
  const server = createServer((request, response) => {
    if (request.headers.cookie) cookies.push(request.headers.cookie);
    response.setHeader("content-type", "text/html");
    response.end("<!doctype html><title>Evil</title><body></body>");
  });
  await new Promise<void>((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve()),
  );
  return {
    port: (server.address() as AddressInfo).port,
    cookies,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
