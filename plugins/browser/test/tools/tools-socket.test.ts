import { spawn } from "node:child_process";
import { stat } from "node:fs/promises";
import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { openSocket, startProgram, textOf } from "./support/mcp-client.ts";
import { createStandInBrowser } from "./support/stand-in-browser.ts";
import { startTools } from "./support/start-tools.ts";

const startReading = async () => {
  const browser = createStandInBrowser();
  const bench = await startTools(() => browser);
  await bench.allow({ tier: "read" });
  return bench;
};

const isClosed = (socket: Socket) =>
  new Promise<void>((resolve) => {
    socket.resume();
    socket.once("close", () => resolve());
  });

test("the program that a CLI starts gives it the tools", async () => {
  await using bench = await startReading();
  const { server } = (await bench.admit())!;
  expect(server.name).toBe("gantry");
  // Every user of the machine can see arguments.
  expect(server.args.join(" ")).not.toContain(server.env["GANTRY_BROWSER_KEY"]);
  const client = await startProgram(server);
  const tools = await client.tools();
  expect(tools).toContain("browser_snapshot");
  expect(tools).not.toContain("browser_evaluate");
  // The CLI asks for none of them, those of a later policy included: their server decides.
  expect(server.tools).toEqual(
    expect.arrayContaining([...tools, "browser_evaluate"]),
  );
  expect(textOf(await client.call("browser_snapshot"))).toMatch(
    /^<(page-[0-9a-f]{10})>\nOrders\nhttps:\/\/shop\.example\/\n- heading "Orders" \[ref=e1\]\n<\/\1>$/,
  );
  client.close();
  await client.closed;
});

test(
  "the program says what is wrong when there is no key or no daemon",
  { tags: "thorough" },
  async () => {
    await using bench = await startReading();
    const { command, args } = (await bench.admit())!.server;
    const run = async (env: Record<string, string>) => {
      const child = spawn(command, [...args], { env });
      let said = "";
      child.stderr.on("data", (chunk) => (said += String(chunk)));
      const code = await new Promise((resolve) => child.once("close", resolve));
      return { code, said };
    };
    const wrong = {
      GANTRY_BROWSER_SOCKET: "/nowhere",
      GANTRY_BROWSER_KEY: "k",
    };
    expect(await run({})).toMatchObject({
      code: 1,
      said: expect.stringContaining("gives it a key") as string,
    });
    expect(await run(wrong)).toMatchObject({
      code: 1,
      said: expect.stringContaining("does not answer (ENOENT)") as string,
    });
  },
);

test("only the daemon's account and keys of open sessions get in", async () => {
  await using bench = await startReading();
  await bench.allow({ tier: "none" });
  expect(await bench.admit()).toBeUndefined();
  await bench.allow({ tier: "read" });
  const { server, client, end } = await bench.connect();
  const path = server.env["GANTRY_BROWSER_SOCKET"] ?? "";
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  for (const line of ["wrong\n", "\n", "x".repeat(2_000)])
    await isClosed(openSocket(server, line));
  expect(await client.tools()).toContain("browser_snapshot");
  end();
  await client.closed;
  await isClosed(openSocket(server));
});

test(
  "a connection that sends no key is closed after a while",
  { tags: "thorough" },
  async () => {
    await using bench = await startReading();
    const { server } = (await bench.admit())!;
    const socket = openSocket(server, "half of a");
    const closed = isClosed(socket);
    await expect
      .poll(async () => {
        await bench.kernel.clock.advance(5_000);
        return socket.destroyed;
      })
      .toBe(true);
    await closed;
  },
);

test("a changed policy changes the tools of an open session", async () => {
  await using bench = await startReading();
  const { client } = await bench.connect();
  await bench.allow({ tier: "full" });
  await expect
    .poll(() => client.notified)
    .toContain("notifications/tools/list_changed");
  expect(await client.tools()).toContain("browser_evaluate");
  await bench.allow({ tier: "none" });
  expect(await client.tools()).toEqual([]);
  expect(textOf(await client.call("browser_snapshot"))).toContain(
    "you may not use the browser",
  );
});

test(
  "an agent that is open without tools is opened again when it may use them",
  { tags: "thorough" },
  async () => {
    const browser = createStandInBrowser();
    await using bench = await startTools(() => browser);
    await bench.allow({ tier: "none" });
    expect(bench.renewed).toEqual([]);
    await bench.allow({ tier: "act" });
    await expect.poll(() => bench.renewed).toEqual([bench.agentId]);
    await bench.admit();
    await bench.allow({ tier: "full" });
    expect(bench.renewed).toEqual([bench.agentId]);
  },
);

test("an agent whose CLI does not read tools that are announced is opened again, and one that loses tools is not", async () => {
  await using bench = await startReading();
  const { client } = await bench.connect();
  const { clock } = bench.kernel;
  // It was opened before it might use anything.
  bench.renewed.length = 0;
  await client.tools();
  await bench.allow({ tier: "act" });
  await expect.poll(() => client.notified).toHaveLength(1);
  await client.tools();
  await clock.advance(60_000);
  await bench.allow({ tier: "read" });
  await clock.advance(60_000);
  expect(bench.renewed).toEqual([]);
  await bench.allow({ tier: "full" });
  await clock.advance(5_000);
  expect(bench.renewed).toEqual([]);
  await clock.advance(5_000);
  await expect.poll(() => bench.renewed).toEqual([bench.agentId]);
});

test("the key of a session opens its tools and no operation of the daemon", async () => {
  await using bench = await startReading();
  const { server } = (await bench.admit())!;
  const key = server.env["GANTRY_BROWSER_KEY"] ?? "";
  expect(key).toMatch(/^[\w-]{43}$/);
  const { stranger, url } = bench.kernel;
  const policy = `/api/browser/policies/${bench.agentId}`;
  const credentials: Record<string, string>[] = [
    { authorization: `Bearer ${key}` },
    { authorization: `Basic ${btoa(`gantry:${key}`)}` },
    { cookie: `gantry_session=${key}`, origin: url },
  ];
  for (const headers of credentials) {
    const body = { tier: "full", sites: ["*"] };
    const answer = await stranger.request("PUT", policy, { headers, body });
    expect([401, 403]).toContain(answer.status);
  }
});
