import { once } from "node:events";
import { request } from "node:http";
import type { IncomingMessage } from "node:http";
import { json } from "node:stream/consumers";
import type { TestKernel } from "@gantry/plugin-testing";
import { startTestKernel } from "@gantry/plugin-testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadPlugins } from "../src/areas.ts";

/** Operations that a client without a session may call. The last three ask for a credential of their own. */
const OPEN = [
  "POST /pair",
  "POST /api/agents/{id}/tui-ack",
  "POST /api/agents/{id}/tui-hello",
  "POST /api/automations/{id}/fire",
];

const SOCKETS = ["/api/browser/tabs/none/view", "/api/terminals/none/attach"];

/** Pages and files that are not part of the shell. */
const CONTENT = [
  "/docs",
  "/docs/start.js",
  "/docs/standalone.js",
  "/plugins/agents/ui/index.mjs",
  "/plugins/none/ui/index.mjs",
];

let kernel: TestKernel;

beforeAll(async () => {
  const plugins = await loadPlugins();
  kernel = await startTestKernel(plugins.map(({ definition }) => definition));
});
afterAll(() => kernel.stop());

/** Status and code of an answer to a client without a session. */
async function ask(method: string, path: string): Promise<unknown[]> {
  const address = path.replace(/\{\w+\}/g, "none");
  const { status, body } = await kernel.stranger.request<{ code?: string }>(
    method,
    address,
    // Node's fetch says that it is a browser, from which changes need an origin.
    { headers: { origin: kernel.url } },
  );
  return [status, body.code];
}

const REFUSED = [401, "AUTH_NOT_PAIRED"];

test("every operation needs a session, but for those that are known to need none", async () => {
  const routes = kernel.kernel.http.app.table
    .routes()
    .map(({ definition: { method, path } }) => ({ method, path }));
  expect(routes.length).toBeGreaterThan(150);
  const open: string[] = [];
  for (const { method, path } of routes) {
    const answer = await ask(method, path);
    if (answer.join() !== REFUSED.join()) open.push(`${method} ${path}`);
  }
  expect(open.sort()).toEqual([...OPEN].sort());
});

test("those with a credential of their own refuse a client without it", async () => {
  for (const operation of OPEN.slice(1)) {
    const [method = "", path = ""] = operation.split(" ");
    expect((await ask(method, path))[0], operation).toBe(401);
  }
});

test("every page and file that is not part of the shell needs a session", async () => {
  for (const path of CONTENT)
    expect(await ask("GET", path), path).toEqual(REFUSED);
});

test("every socket needs a session", async () => {
  expect(SOCKETS).toHaveLength(kernel.kernel.http.app.table.sockets().length);
  const { cookie } = await kernel.pairAs("Phone");
  for (const path of SOCKETS) {
    expect(await openSocket(path), path).toEqual(REFUSED);
    // It is there.
    const [status, code] = await openSocket(path, { cookie });
    expect(status, path).toBe(404);
    expect(code, path).not.toBe("ROUTE_NOT_FOUND");
  }
});

/** Status and code of the answer to an upgrade that is refused. */
async function openSocket(
  path: string,
  headers: Record<string, string> = {},
): Promise<unknown[]> {
  const upgrade = request(new URL(path, kernel.url), {
    headers: {
      ...headers,
      origin: kernel.url,
      connection: "upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    },
  }).end();
  const [answer] = (await once(upgrade, "response")) as [IncomingMessage];
  const { code } = (await json(answer)) as { code: string };
  return [answer.statusCode, code];
}
