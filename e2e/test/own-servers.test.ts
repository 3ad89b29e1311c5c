import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createApiClient } from "../support/api-client.ts";
import { chromiumPath } from "../support/browser.ts";
import { startDaemon } from "../support/daemon.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

/** Its page asks two ports again and again, and says in its title how often each answered and failed. */
const SERVER = `const asked = process.argv[2];
require("node:http").createServer((request, response) => response
  .writeHead(200, { "content-type": "text/html" })
  .end(\`<!doctype html><title>Started</title><script>
    const counts = { own: 0, ownFailed: 0, other: 0, otherFailed: 0 };
    const ask = (url, name) => fetch(url, { mode: "no-cors", cache: "no-store" })
      .then(() => counts[name]++, () => counts[name + "Failed"]++)
      .then(() => { document.title = JSON.stringify(counts); setTimeout(ask, 50, url, name); });
    ask("/", "own");
    ask("http://localhost:\${asked}/", "other");
  </script>\`))
  .listen(0, "127.0.0.1", function () { console.log(this.address().port); });`;

/** A server that is none of the agent's, and the requests that it gets. */
async function startOther(port = 0, host = "127.0.0.1") {
  const requests: string[] = [];
  const server: Server = createServer(({ url = "" }, response) => {
    requests.push(url);
    response.end("not the agent's");
  });
  onTestFinished(() => void server.close());
  server.listen(port, host);
  await once(server, "listening");
  return { server, requests, port: (server.address() as AddressInfo).port };
}

(chromiumPath === undefined ? test.skip : test)(
  "an agent may open its own servers, and nothing else of this machine, also not at the port of one that has ended",
  { tags: ["thorough"] },
  async () => {
    await using folder = await createTemporaryFolder("own-servers");
    const home = join(folder.path, "home");
    await mkdir(home, { mode: 0o700 });
    await writeFile(
      join(home, "config.json"),
      JSON.stringify({
        settings: { browser: { command: chromiumPath, sandbox: "off" } },
      }),
      { mode: 0o600 },
    );
    const program = join(folder.path, "server.cjs");
    await writeFile(program, SERVER);
    const other = await startOther();
    await using daemon = await startDaemon(home);
    const api = await createApiClient(daemon);
    const createAgent = async (name: string) =>
      (
        await api.call<{ id: string }>(
          ...(["POST", "/api/agents", { name, cli: "practice" }] as const),
        )
      ).body.id;
    const agentId = await createAgent("Shop");
    const otherAgent = await createAgent("Docs");
    for (const id of [agentId, otherAgent])
      await api.call("PUT", `/api/browser/policies/${id}`, {
        ...{ tier: "act", ownServers: true },
      });
    const running = api.call("POST", `/api/agents/${agentId}/bash`, {
      command: `node ${program} ${other.port} | cat`,
    });
    const servers = async () =>
      (
        await api.call<{ items: { port: number }[] }>(
          "GET",
          `/api/browser/servers?agentId=${agentId}`,
        )
      ).body.items;
    await expect.poll(servers).toHaveLength(1);
    const { port = 0 } = (await servers())[0]!;
    const open = async (url: string, id = agentId) =>
      await api.call<{ id: string; code: string }>(
        "POST",
        "/api/browser/tabs",
        {
          ...{ url, agentId: id },
        },
      );
    const statusOf = async (url: string, id = agentId) =>
      (await open(url, id)).status;

    const { status, body: tab } = await open(`http://localhost:${port}/`);
    expect(status).toBe(200);
    const counts = async () => {
      const { body } = await api.call<{
        items: { id: string; title: string }[];
      }>(...(["GET", "/api/browser/tabs"] as const));
      const title = body.items.find(({ id }) => id === tab.id)?.title ?? "";
      return title.startsWith("{")
        ? (JSON.parse(title) as Record<string, number>)
        : {};
    };
    await expect.poll(async () => (await counts())["own"]).toBeGreaterThan(1);
    await expect
      .poll(async () => (await counts())["otherFailed"])
      .toBeGreaterThan(1);
    expect(await statusOf(`http://127.0.0.1:${port}/`)).toBe(200);
    const { port: daemonPort } = new URL(daemon.url);
    for (const refused of [
      `http://localhost:${other.port}/`,
      `http://localhost:${daemonPort}/`,
      `http://127.0.0.1:${daemonPort}/`,
      `http://[::1]:${daemonPort}/`,
      daemon.url,
    ])
      expect(await statusOf(refused), refused).toBe(403);
    expect(await statusOf(`http://localhost:${port}/`, otherAgent)).toBe(403);

    // Another program at the same port of another address: localhost may lead to either.
    const beside = await startOther(port, "::1");
    expect(await statusOf(`http://[::1]:${port}/`)).toBe(403);
    expect(await statusOf(`http://localhost:${port}/`)).toBe(403);
    beside.server.close();
    await once(beside.server, "close");
    expect(await statusOf(`http://localhost:${port}/`)).toBe(200);

    await api.call("POST", `/api/agents/${agentId}/bash/abort`, {});
    await running;
    await expect.poll(servers).toEqual([]);
    const taken = await startOther(port);
    const { ownFailed: before = 0 } = await counts();
    await expect
      .poll(async () => (await counts())["ownFailed"])
      .toBeGreaterThan(before + 1);
    expect(await statusOf(`http://localhost:${port}/`)).toBe(403);
    expect((await counts())["other"]).toBe(0);
    for (const { requests } of [other, beside, taken])
      expect(requests).toEqual([]);
  },
);
