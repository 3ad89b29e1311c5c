import { spawn } from "node:child_process";
import { stat } from "node:fs/promises";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import type { Socket } from "node:net";
import { expect, test, vi } from "vitest";
import { createStandInBrowser } from "./stand-in-browser.ts";
import { agentId, openSocket, startTools, textOf } from "./support.ts";

/** A stand-in with a tab lent to the agent, so that the tier `read` is enough. */
function startReading() {
  const browser = createStandInBrowser();
  return startTools({
    open: async () => browser,
    lent: () => [browser],
  });
}

const isClosed = (socket: Socket) =>
  new Promise<void>((resolve) => {
    socket.resume();
    socket.once("close", () => resolve());
  });

test("the program that a CLI starts gives it the tools", async () => {
  await using bench = await startReading();
  await bench.allow({ tier: "read" });
  const session = await bench.admit();
  const { command, args, env, tools, name } = session!.server;
  expect(name).toBe("gantry");
  expect(tools).toContain("browser_snapshot");
  expect(args.join(" ")).not.toContain(env["GANTRY_BROWSER_KEY"]);
  const client = new Client({ name: "cli", version: "1.0.0" });
  const transport = new StdioClientTransport({
    command,
    args: [...args],
    env: { ...env },
  });
  await client.connect(transport);
  const listed = await client.listTools();
  expect(listed.tools.map((tool) => tool.name)).toEqual(tools);
  const answer = await client.callTool({ name: "browser_snapshot" });
  expect(textOf(answer)).toMatch(
    /^<(page-[0-9a-f]{10})>\nOrders\nhttps:\/\/shop\.example\/\n- heading "Orders" \[ref=e1\]\n<\/\1>$/,
  );
  await client.close();
});

test("the program says what is wrong when there is no key or no daemon", async () => {
  await using bench = await startReading();
  await bench.allow({ tier: "read" });
  const { command, args } = (await bench.admit())!.server;
  const run = async (env: Record<string, string>) => {
    const child = spawn(command, [...args], { env });
    let said = "";
    child.stderr.on("data", (chunk) => (said += String(chunk)));
    const code = await new Promise((resolve) => child.once("close", resolve));
    return { code, said };
  };
  const wrong = { GANTRY_BROWSER_SOCKET: "/nowhere", GANTRY_BROWSER_KEY: "k" };
  expect(await run({})).toMatchObject({
    code: 1,
    said: expect.stringContaining("gives it a key") as string,
  });
  expect(await run(wrong)).toMatchObject({
    code: 1,
    said: expect.stringContaining("does not answer (ENOENT)") as string,
  });
});

test("only the user of the daemon and the keys of open sessions get in", async () => {
  await using bench = await startReading();
  expect(await bench.admit()).toBeNull();
  await bench.allow({ tier: "read" });
  const { server, client, end } = await bench.connect();
  const path = server.env["GANTRY_BROWSER_SOCKET"] ?? "";
  expect((await stat(path)).mode & 0o777).toBe(0o600);

  await isClosed(openSocket(server, "wrong\n"));
  await isClosed(openSocket(server, "\n"));
  await isClosed(openSocket(server, "x".repeat(2000)));
  expect(await client.listTools()).toMatchObject({});

  const closed = new Promise<void>((resolve) => (client.onclose = resolve));
  end();
  await closed;
  await isClosed(openSocket(server));
});

test("a connection that sends no key is closed after a timeout", async () => {
  await using bench = await startReading();
  await bench.allow({ tier: "read" });
  const { server } = (await bench.admit())!;
  const socket = openSocket(server, "half of a");
  const closed = isClosed(socket);
  await new Promise((resolve) => socket.once("connect", resolve));
  await vi.waitFor(
    async () => {
      await bench.kernel.clock.advance(5000);
      expect(socket.destroyed).toBe(true);
    },
    { timeout: 30_000 },
  );
  await closed;
});

test("a changed policy changes the tools of an open session", async () => {
  await using bench = await startReading();
  await bench.allow({ tier: "read" });
  const { client } = await bench.connect();
  const changed = new Promise<void>((resolve) =>
    client.setNotificationHandler(ToolListChangedNotificationSchema, () =>
      resolve(),
    ),
  );
  await bench.allow({ tier: "full" });
  await changed;
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain("browser_evaluate");
  await bench.allow({ tier: "none" });
  expect(await client.listTools()).toMatchObject({ tools: [] });
  expect(textOf(await client.callTool({ name: "browser_snapshot" }))).toContain(
    "you may not use the browser",
  );
});

test("an agent that is open without tools is reopened when it may use them", async () => {
  await using bench = await startReading();
  await bench.allow({ tier: "none" });
  expect(bench.renewed).toEqual([]);
  await bench.allow({ tier: "act" });
  await vi.waitFor(() => expect(bench.renewed).toEqual([agentId]));
  await bench.admit();
  await bench.allow({ tier: "full" });
  expect(bench.renewed).toEqual([agentId]);
});
