import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { definePlugin } from "@gantry/plugin";
import type { PluginContext } from "@gantry/plugin";
import { startTestKernel } from "@gantry/plugin-testing";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import type { TestKernel } from "@gantry/plugin-testing";
import { openEgress } from "../../src/egress/open-egress.ts";
import type { Egress, FailedConnection } from "../../src/egress/open-egress.ts";
import { readGantryAddress } from "../../src/fence/gantry-address.ts";
import { startSite } from "../support/start-site.ts";
import type { Site } from "../support/start-site.ts";

let kernel: TestKernel;
let egress: Egress;
let site: Site;
let sites: string[];
let refresh: ((host: string) => Promise<void> | undefined) | undefined;
let failed: FailedConnection[];
beforeEach(async () => {
  let ctx: PluginContext | undefined;
  kernel = await startTestKernel([
    definePlugin({
      ...{ id: "probe", api: 1, summary: "An egress alone" },
      mounts: ["/api/probe"],
      setup: (given) => void (ctx = given),
    }),
  ]);
  sites = [];
  failed = [];
  refresh = undefined;
  egress = await openEgress({
    connect: ctx!.connect,
    owner: "agent",
    sites: () => sites,
    refresh: (host) => refresh?.(host),
    gantry: () => readGantryAddress(ctx!),
    onFailed: (each) => failed.push(each),
  });
  site = await startSite();
});
afterEach(async () => {
  await egress.close();
  await site[Symbol.asyncDispose]();
  await kernel.stop();
});

const GREETING = Buffer.from([5, 1, 0]);

/** A request for a name, or with four bytes for an IPv4 address, sixteen for an IPv6 one. */
function requestFor(host: string | readonly number[], port: number): Buffer {
  const address =
    typeof host === "string"
      ? [3, host.length, ...Buffer.from(host)]
      : [host.length === 4 ? 1 : 4, ...host];
  return Buffer.from([5, 1, 0, ...address, port >> 8, port & 255]);
}

async function dial(): Promise<Socket> {
  const socket = connect(egress.port, "127.0.0.1");
  await once(socket, "connect");
  return socket;
}

/** What comes back for these bytes and an HTTP request after them, until the proxy closes the connection. */
async function exchange(...parts: Buffer[]): Promise<string> {
  const socket = await dial();
  for (const part of parts) socket.write(part);
  socket.write("GET / HTTP/1.0\r\n\r\n");
  return (await buffer(socket)).toString("latin1");
}

/** The greeting was accepted, and the request answered with "host unreachable". */
const REFUSED = "\x05\0\x05\x04\0\x01" + "\0".repeat(6);
const LOOPBACK_V6 = [...Array<number>(15).fill(0), 1];

test("a host of this machine is reached where it is listed with its port, in all its spellings", async () => {
  kernel.names.set("shop.test", ["127.0.0.1"]);
  const { port } = site;
  const mapped = [...Array<number>(10).fill(0), 255, 255, 127, 0, 0, 1];
  const own = ["localhost", [127, 0, 0, 1], mapped, LOOPBACK_V6];
  sites = ["*", "shop.test", `localhost:${port + 1}`];
  for (const host of ["shop.test", ...own])
    expect(await exchange(GREETING, requestFor(host, port))).toBe(REFUSED);
  expect(site.requests).toEqual([]);
  sites = [`shop.test:${port}`];
  expect(await exchange(GREETING, requestFor("SHOP.test.", port))).toContain(
    "<title>Shop</title>",
  );
  expect(await exchange(GREETING, requestFor("localhost", port))).toBe(REFUSED);
  sites = [`localhost:${port}`];
  // The server listens on 127.0.0.1 alone.
  for (const host of ["localhost", "shop.localhost", [127, 0, 0, 1], mapped])
    expect(await exchange(GREETING, requestFor(host, port))).toContain(
      "<title>Shop</title>",
    );
  expect(await exchange(GREETING, requestFor("shop.test", port))).toBe(REFUSED);
});

test("the daemon itself and metadata are never reached, even if they are listed", async () => {
  const port = Number(new URL(kernel.url).port);
  kernel.names.set("daemon.test", ["127.0.0.1"]);
  kernel.names.set("meta.test", ["169.254.169.254"]);
  const targets: [string | number[], number][] = [
    ["127.0.0.1", port],
    [[127, 0, 0, 1], port],
    [LOOPBACK_V6, port],
    ["localhost", port],
    ["gantry.localhost", port],
    ["gantry.localhost", 80],
    ["daemon.test", port],
    ["meta.test", 80],
    ["metadata.google.internal", 80],
    [[169, 254, 169, 254], 80],
  ];
  sites = ["*", `localhost:${port}`, "localhost:80", `daemon.test:${port}`];
  sites.push("meta.test", "metadata.google.internal", "169.254.169.254");
  for (const [host, at] of targets)
    expect(await exchange(GREETING, requestFor(host, at)), `${host}`).toBe(
      REFUSED,
    );
  expect(failed.map(({ isRefused }) => isRefused)).toEqual(
    targets.map(() => true),
  );
});

test("each connection is judged by the sites that are read for it", async () => {
  const { port } = site;
  const hosts: string[] = [];
  let listening = [port];
  refresh = async (host) => {
    hosts.push(host);
    await new Promise(setImmediate);
    sites = listening.map((each) => `localhost:${each}`);
  };
  for (const host of ["localhost", [127, 0, 0, 1]])
    expect(await exchange(GREETING, requestFor(host, port))).toContain(
      "<title>Shop</title>",
    );
  const before = site.requests.length;
  // Another program listens there from now on.
  listening = [];
  for (const host of ["localhost", [127, 0, 0, 1], LOOPBACK_V6])
    expect(await exchange(GREETING, requestFor(host, port))).toBe(REFUSED);
  expect(site.requests).toHaveLength(before);
  expect(hosts).toHaveLength(5);
  listening = [Number(new URL(kernel.url).port)];
  expect(await exchange(GREETING, requestFor("localhost", listening[0]!))).toBe(
    REFUSED,
  );
});

test("what was not reached is reported with its reason", async () => {
  kernel.names.set("nowhere.test", []);
  const { port } = site;
  await site[Symbol.asyncDispose]();
  sites = ["*", `localhost:${port}`];
  for (const host of ["localhost", "other.localhost", "nowhere.test"])
    await exchange(GREETING, requestFor(host, host === "localhost" ? port : 1));
  expect(failed).toEqual([
    {
      ...{ host: "localhost", port, isRefused: false },
      reason: "nothing listens there",
    },
    {
      ...{ host: "other.localhost", port: 1, isRefused: true },
      reason: expect.stringContaining("port 1 of this machine") as string,
    },
    {
      ...{ host: "nowhere.test", port: 1, isRefused: true },
      reason: expect.stringContaining("no address") as string,
    },
  ]);
});

test("a name that is not listed is not even looked up", async () => {
  kernel.names.set("evil.test", ["93.184.216.34"]);
  sites = ["shop.test", "*.shop.test"];
  expect(await exchange(GREETING, requestFor("evil.test", 80))).toBe(REFUSED);
  expect(failed).toMatchObject([
    { reason: expect.stringContaining("not among the sites") as string },
  ]);
});

test("connections that the sites do not allow any more are closed", async () => {
  // It never closes a connection by itself.
  const echo = createServer((socket) => void socket.pipe(socket));
  onTestFinished(() => void echo.close());
  await once(echo.listen(0, "127.0.0.1"), "listening");
  const { port } = echo.address() as AddressInfo;
  sites = [`localhost:${port}`];
  const socket = await dial();
  for (const part of [GREETING, requestFor("localhost", port)])
    socket.write(part);
  socket.write("hello");
  let received = "";
  socket.on("data", (chunk) => (received += String(chunk)));
  await expect.poll(() => received).toContain("hello");
  egress.review();
  socket.write("again");
  await expect.poll(() => received).toContain("again");
  const closed = once(socket, "close");
  sites = [];
  egress.review();
  await closed;
  expect(failed).toEqual([]);
});

test("bytes that are split anywhere are read", async () => {
  sites = [`localhost:${site.port}`];
  const socket = await dial();
  const answer = buffer(socket);
  socket.setNoDelay();
  for (const byte of [...GREETING, ...requestFor("localhost", site.port)]) {
    socket.write(Buffer.of(byte));
    await new Promise(setImmediate);
  }
  socket.write("GET / HTTP/1.0\r\n\r\n");
  expect(String(await answer)).toContain("<title>Shop</title>");
});

test("whatever is no request of SOCKS 5 for a connection is closed", async () => {
  sites = [`localhost:${site.port}`];
  const request = requestFor("localhost", site.port);
  const bind = Buffer.from(request);
  bind[1] = 2;
  for (const parts of [
    [Buffer.from(`CONNECT localhost:${site.port} HTTP/1.1\r\n\r\n`)],
    [Buffer.from([4, 1, 0, 80, 127, 0, 0, 1, 0])],
    [Buffer.from([5, 1, 2]), request],
    [GREETING, bind],
    [GREETING, Buffer.from([5, 1, 0, 9, 1, 2, 3, 4])],
  ])
    expect(["", "\x05\0"]).toContain(await exchange(...parts));
  expect(site.requests).toEqual([]);
});

test("a browser that asks while its plugin stops is refused", async () => {
  sites = [`localhost:${site.port}`];
  await kernel.kernel.plugins.stop("probe");
  expect(await exchange(GREETING, requestFor("localhost", site.port))).toBe(
    REFUSED,
  );
});

test("closing it closes its connections", async () => {
  sites = [`localhost:${site.port}`];
  const socket = await dial();
  socket.write(GREETING);
  socket.write(requestFor("localhost", site.port));
  await once(socket, "data");
  const closed = once(socket.resume(), "close");
  await egress.close();
  await closed;
});
