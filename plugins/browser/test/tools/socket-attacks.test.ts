import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm, stat } from "node:fs/promises";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ToolServer } from "@gantry/plugin-agents/contract";
import { expect, onTestFinished, test } from "vitest";
import {
  connectClient,
  McpClient,
  openSocket,
  textOf,
} from "./support/mcp-client.ts";
import { createStandInBrowser } from "./support/stand-in-browser.ts";
import { startTools } from "./support/start-tools.ts";

const MAX_CONNECTIONS_A_SESSION = 8;
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;

async function startReading(options = {}) {
  const browser = createStandInBrowser();
  const bench = await startTools(() => browser, options);
  await bench.allow({ tier: "read" });
  return { browser, bench };
}

/** Resolves when the daemon has closed it, with the bytes that it sent before. */
async function closed(socket: Socket): Promise<number> {
  let bytes = 0;
  socket.on("data", (chunk: Buffer) => (bytes += chunk.length));
  if (!socket.closed)
    await new Promise((resolve) => void socket.once("close", resolve));
  return bytes;
}
const keyOf = ({ env }: ToolServer) => env["GANTRY_BROWSER_KEY"] ?? "";
const pathOf = ({ env }: ToolServer) => env["GANTRY_BROWSER_SOCKET"] ?? "";

test("a key that is not exactly one of an open session opens nothing, and is told nothing", async () => {
  const { bench } = await startReading();
  await using _ = bench;
  const { server, client } = await bench.connect();
  const ended = (await bench.admit())!;
  ended.end();
  const key = keyOf(server);
  const wrong = [
    keyOf(ended.server),
    key.slice(0, -1),
    `${key}A`,
    key.toUpperCase(),
    `${key}\0`,
    `Bearer ${key}`,
    Buffer.from(key, "base64url").toString("hex"),
    "",
    "GET / HTTP/1.1",
    '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    "x".repeat(1_025),
  ];
  for (const line of wrong)
    expect(await closed(openSocket(server, `${line}\n`)), line).toBe(0);
  expect(await client.tools()).toContain("browser_snapshot");
});

test("a key opens the tools of its own agent, and ends with its own session", async () => {
  const { bench, browser } = await startReading();
  await using _ = bench;
  const other = bench.addAgent();
  await bench.allow({ tier: "act" }, other);
  const reader = await bench.connect();
  const actor = await bench.connect(other);
  const second = await bench.connect(other);
  expect(await actor.client.tools()).toContain("browser_click");
  expect(await reader.client.tools()).not.toContain("browser_click");
  actor.end();
  await actor.client.closed;
  expect(await closed(openSocket(actor.server))).toBe(0);
  expect(await second.client.tools()).toContain("browser_click");
  // A name that is known is not enough: the call waits for the user, who says no.
  const pressed = reader.client.call("browser_press", { key: "Enter" });
  const open = async () =>
    (
      await bench.kernel.api.get<{ items: { id: string }[] }>(
        "/api/browser/questions",
      )
    ).body.items;
  await expect.poll(open).toHaveLength(1);
  const [question] = await open();
  await bench.kernel.api.post(`/api/browser/questions/${question!.id}`, {
    answer: "no",
  });
  expect(await pressed).toMatchObject({ isError: true });
  expect(browser.calls.map(({ method }) => method)).not.toContain(
    "Input.dispatchKeyEvent",
  );
});

test("a key that comes in pieces is accepted, and clients that send half of one keep no others out", async () => {
  const { bench } = await startReading();
  await using _ = bench;
  const { server } = (await bench.admit())!;
  // More than are let in without a key, all of them open.
  const halves = Array.from({ length: 60 }, () => openSocket(server, "half"));
  await Promise.all(halves.map((each) => once(each, "connect")));
  const first = await connectClient(server);
  expect(await first.tools()).toContain("browser_snapshot");
  const slow = openSocket(server, "");
  for (const byte of `${keyOf(server)}\n`)
    await new Promise((resolve) => slow.write(byte, resolve));
  const client = await new McpClient(slow, slow).start();
  expect(await client.tools()).toContain("browser_snapshot");
  expect(halves.some((half) => half.destroyed)).toBe(true);
  for (const half of halves) half.destroy();
  client.close();
  first.close();
});

test("a session has a few connections, and hundreds with wrong keys leave its own alone", async () => {
  const { bench } = await startReading();
  await using _ = bench;
  const { server, client } = await bench.connect();
  const others: McpClient[] = [];
  while (others.length < MAX_CONNECTIONS_A_SESSION - 1)
    others.push(await connectClient(server));
  expect(await closed(openSocket(server))).toBe(0);
  const floods = Array.from({ length: 300 }, (_, index) =>
    openSocket(server, `${index}\n`),
  );
  expect(await client.tools()).toContain("browser_snapshot");
  await Promise.all(floods.map(closed));
  others.pop()!.close();
  await expect
    .poll(async () => {
      const socket = openSocket(server);
      const again = new McpClient(socket, socket);
      return await Promise.race([
        again.start().then(() => "served"),
        again.closed,
      ]);
    })
    .toBe("served");
  for (const each of others) each.close();
});

test("messages that are too large, cut off or none end their own connection at most", async () => {
  const { bench, browser } = await startReading();
  await using _ = bench;
  const { server, client } = await bench.connect();
  const send = (text: string | Buffer) => {
    const socket = openSocket(server);
    socket.resume();
    socket.write(text);
    return socket;
  };
  await closed(send(Buffer.alloc(MAX_MESSAGE_BYTES + 65_536, "x")));
  const half = send('{"jsonrpc":"2.0","id":1,"method":"tools/call","par');
  half.end();
  await closed(half);
  const odd = [
    "no json",
    "[]",
    "null",
    "[".repeat(10_000),
    '{"jsonrpc":"1.0","id":1,"method":"tools/list"}',
    '{"jsonrpc":"2.0","id":{},"method":"tools/list"}',
    '{"jsonrpc":"2.0","id":7,"result":{}}',
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"__proto__"}}',
    '{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":["browser_snapshot"]}}',
    '{"jsonrpc":"2.0","id":9,"method":"tools/call","params":null}',
    '{"jsonrpc":"2.0","id":"a","method":"resources/read","params":{"uri":"file:///etc/passwd"}}',
    '{"jsonrpc":"2.0","id":"b","method":"completion/complete"}',
    Buffer.from([0xff, 0xfe, 0x00, 0x0a]),
  ];
  for (const line of odd) {
    const socket = send(Buffer.concat([Buffer.from(line), Buffer.from("\n")]));
    const beside = await client.call("browser_snapshot");
    expect(textOf(beside), String(line)).toContain("Orders");
    socket.destroy();
  }
  // Whatever was sent, only our own calls reached the browser.
  const reads = browser.calls.filter(
    ({ method }) => method === "Accessibility.getFullAXTree",
  );
  expect(reads).toHaveLength(odd.length);
});

test.each([
  ["in the home", ""],
  ["elsewhere, as the path of the home is too long", "x".repeat(100)],
])("another user has no access to the socket %s", async (_title, name) => {
  const folder = join(tmpdir(), `gantry-socket-${process.pid}${name}`);
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const home = join(folder, "home");
  const { bench } = await startReading(name === "" ? {} : { home });
  await using _ = bench;
  const { server } = (await bench.admit())!;
  const path = pathOf(server);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect((await stat(dirname(path))).mode & 0o077).toBe(0);
  if (process.getuid?.() !== 0) return;
  const script =
    'for p in "$@"; do [ -w "$p" ] || [ -x "$p" ] && echo "$p"; done';
  const child = spawn("/bin/sh", ["-c", script, "sh", path, dirname(path)], {
    ...{ uid: 65_534, gid: 65_534, cwd: "/" },
  });
  let reached = "";
  child.stdout.on("data", (chunk) => (reached += String(chunk)));
  await once(child, "close");
  expect(reached).toBe("");
});
