import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { definePlugin } from "@gantry/plugin";
import type { PluginContext } from "@gantry/plugin";
import { startTestKernel } from "@gantry/plugin-testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { TestKernel } from "@gantry/plugin-testing";
import { openEgress } from "../../src/egress/open-egress.ts";
import type { Egress } from "../../src/egress/open-egress.ts";
import { startSite } from "../support/start-site.ts";
import type { Site } from "../support/start-site.ts";

let kernel: TestKernel;
let egress: Egress;
let site: Site;
beforeEach(async () => {
  let ctx: PluginContext | undefined;
  kernel = await startTestKernel([
    definePlugin({
      ...{ id: "probe", api: 1, summary: "An egress alone" },
      mounts: ["/api/probe"],
      setup: (given) => void (ctx = given),
    }),
  ]);
  egress = await openEgress(ctx!.connect);
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

test("a host of this machine is reached once its port is allowed, by this spelling alone", async () => {
  kernel.names.set("shop.test", ["127.0.0.1"]);
  const { port } = site;
  for (const host of ["shop.test", "localhost", [127, 0, 0, 1]])
    expect(await exchange(GREETING, requestFor(host, port))).toBe(REFUSED);
  expect(site.requests).toEqual([]);
  egress.allowLocal(`http://shop.test:${port}/cart`);
  expect(await exchange(GREETING, requestFor("SHOP.test.", port))).toContain(
    "<title>Shop</title>",
  );
  expect(await exchange(GREETING, requestFor("localhost", port))).toBe(REFUSED);
  egress.allowLocal(`http://127.0.0.1:${port}/`);
  expect(await exchange(GREETING, requestFor([127, 0, 0, 1], port))).toContain(
    "<title>Shop</title>",
  );
});

test("the daemon itself and metadata are never reached, even if they are allowed", async () => {
  const port = Number(new URL(kernel.url).port);
  kernel.names.set("daemon.test", ["127.0.0.1"]);
  const targets: [string | number[], number][] = [
    ["127.0.0.1", port],
    [[127, 0, 0, 1], port],
    [LOOPBACK_V6, port],
    ["localhost", port],
    ["gantry.localhost", 80],
    ["daemon.test", port],
    [[169, 254, 169, 254], 80],
  ];
  for (const host of ["127.0.0.1", "[::1]", "localhost", "daemon.test"])
    egress.allowLocal(`http://${host}:${port}/`);
  egress.allowLocal("http://gantry.localhost/");
  egress.allowLocal("http://169.254.169.254/");
  for (const [host, at] of targets)
    expect(await exchange(GREETING, requestFor(host, at)), `${host}`).toBe(
      REFUSED,
    );
});

test("a private address under an IPv6 spelling needs the same permission", async () => {
  const mapped = [...Array<number>(10).fill(0), 255, 255, 127, 0, 0, 1];
  const { port } = site;
  expect(await exchange(GREETING, requestFor(mapped, port))).toBe(REFUSED);
  egress.allowLocal(`http://[::ffff:127.0.0.1]:${port}/`);
  expect(await exchange(GREETING, requestFor(mapped, port))).toContain("Shop");
});

test("bytes that are split anywhere are read", async () => {
  egress.allowLocal(`http://localhost:${site.port}/`);
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
  egress.allowLocal(`http://localhost:${site.port}/`);
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
  egress.allowLocal(`http://localhost:${site.port}/`);
  await kernel.kernel.plugins.stop("probe");
  expect(await exchange(GREETING, requestFor("localhost", site.port))).toBe(
    REFUSED,
  );
});

test("closing it closes its connections", async () => {
  egress.allowLocal(`http://localhost:${site.port}/`);
  const socket = await dial();
  socket.write(GREETING);
  socket.write(requestFor("localhost", site.port));
  await once(socket, "data");
  const closed = once(socket.resume(), "close");
  await egress.close();
  await closed;
});
