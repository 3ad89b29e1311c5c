import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A local site with elements at fixed positions. */
export interface Site extends AsyncDisposable {
  readonly url: string;
}

const style = `<meta charset="utf-8"><style>
  body { margin: 0; background: rgb(255, 255, 255) }
  body > * { position: fixed; left: 0; width: 300px; font: 16px sans-serif }
</style>`;
const home = `${style}<title>Home</title>
  <button data-testid="paint" style="top: 0; height: 100px" onclick="document.body.style.background = 'rgb(0, 128, 0)'">Paint it</button>
  <input aria-label="Name" style="top: 120px; height: 40px" oninput="document.title = 'Typed ' + this.value">
  <a href="/second" style="top: 200px; height: 60px">The second page</a>
  <p style="top: 260px">apple pear apple</p>
  <a href="/second" target="_blank" style="top: 310px; height: 40px">In a new tab</a>`;
const second = `${style}<title>Second</title><h1>Second</h1>`;

/** Serves the site on a free port. */
export async function serveSite(): Promise<Site> {
  const server = createServer(({ url }, response) => {
    response.setHeader("content-type", "text/html");
    response.end(url === "/second" ? second : home);
  });
  await new Promise<void>((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve()),
  );
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
