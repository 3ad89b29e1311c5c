import { once } from "node:events";
import { connect as connectSocket } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openEgress } from "../../src/fence/egress.ts";
import type { Egress, EgressOptions } from "../../src/fence/egress.ts";
import { toForwardedHeaders } from "../../src/fence/egress-headers.ts";
import type { SiteRules } from "../../src/fence/judge-site.ts";
import { openFakeInternet } from "./support/fake-internet.ts";
import type { FakeInternet } from "./support/fake-internet.ts";

let internet: FakeInternet;
let egress: Egress;
let rules: SiteRules;
let refused: { target: string; reason: string }[];

const open = (options: Partial<EgressOptions> = {}) =>
  openEgress({
    owner: "agent",
    rules: () => rules,
    gantry: () => ({ ports: new Set([internet.gantryPort]), names: new Set() }),
    connect: (target) => internet.connect(target),
    onRefused: (entry) => refused.push(entry),
    ...options,
  });

beforeEach(async () => {
  refused = [];
  rules = { sites: ["site.test", "*.site.test"], localPorts: new Set() };
  internet = await openFakeInternet(() => ({
    "/": "<h1>site</h1>",
    "/echo"(request, response) {
      void text(request).then((body) => {
        response.setHeader("connection", "x-hop");
        response.setHeader("x-hop", "1");
        response.end(JSON.stringify({ headers: request.rawHeaders, body }));
      });
    },
    "/407"(_, response) {
      response.writeHead(407, { "proxy-authenticate": "Basic" }).end();
    },
    "/cut"(_, response) {
      response.writeHead(200, { "content-length": "100" });
      response.write("x");
      response.socket?.destroySoon();
    },
  }));
  egress = await open();
});
afterEach(async () => {
  await egress.close();
  await internet.close();
});

const toKey = (password: string) =>
  `Proxy-Authorization: Basic ${Buffer.from(`gantry:${password}`).toString("base64")}`;

/** Sends bytes and reads until the proxy closes. */
async function exchange(lines: readonly string[], body = ""): Promise<string> {
  const socket = connectSocket(egress.port, "127.0.0.1");
  socket.write(`${lines.join("\r\n")}\r\n\r\n${body}`);
  return await text(socket);
}
const get = (url: string, ...headers: string[]) =>
  exchange([
    `GET ${url} HTTP/1.1`,
    "Host: whatever.test",
    toKey(egress.password),
    "Connection: close",
    ...headers,
  ]);
const statusOf = (answer: string) => Number(answer.slice(9, 12));

async function openTunnel(target: string) {
  const socket = connectSocket(egress.port, "127.0.0.1");
  socket.on("error", () => socket.destroy());
  socket.write(
    `CONNECT ${target} HTTP/1.1\r\nHost: x\r\n${toKey(egress.password)}\r\n\r\n`,
  );
  const [first] = (await once(socket, "data")) as [Buffer];
  return { socket, status: statusOf(first.toString()) };
}

describe("the password", () => {
  test("is needed for requests and tunnels", async () => {
    for (const key of [
      "X-None: 1",
      toKey("wrong"),
      toKey(""),
      "Proxy-Authorization: Bearer x",
    ]) {
      const lines = ["Host: site.test", "Connection: close", key];
      expect(
        statusOf(await exchange(["GET http://site.test/ HTTP/1.1", ...lines])),
      ).toBe(407);
      expect(
        statusOf(await exchange(["CONNECT site.test:80 HTTP/1.1", ...lines])),
      ).toBe(407);
    }
    expect(internet.visited).toEqual([]);
  });

  test("is not forwarded, nor is anything else of the connection", async () => {
    const answer = await get(
      "http://site.test/echo",
      "Keep-Alive: 5",
      "Proxy-Connection: close",
      "TE: trailers",
      "Upgrade: websocket",
      "X-Own: 1",
      "Connection: X-Own",
    );
    expect(statusOf(answer)).toBe(200);
    expect(answer).not.toMatch(
      /proxy-authorization|keep-alive|te"|upgrade|x-own|whatever/i,
    );
    expect(answer).toContain('"Host","site.test"');
    expect(answer).not.toMatch(/^x-hop/im);
  });
});

describe("a connection", () => {
  test.each([
    "http://evil.test/",
    "http://inside.site.test/",
    "http://mixed.site.test/",
    "http://mapped.site.test/",
    "http://meta.site.test/",
    "http://lan.site.test/",
    "http://127.0.0.1/",
    "http://localhost:22/",
    "http://accounts.google.com/",
    "http://update.googleapis.com/",
  ])("to %s is refused, plain and as a tunnel", async (url) => {
    rules = {
      ...rules,
      sites: [...rules.sites, "*.google.com", "*.googleapis.com"],
    };
    const answer = await get(url, "Accept: text/html");
    expect(statusOf(answer)).toBe(403);
    expect(answer).toContain("Gantry did not open this page");
    const { hostname, port } = new URL(url);
    const tunnel = await openTunnel(`${hostname}:${port || 80}`);
    expect(tunnel.status).toBe(403);
    expect(refused).toHaveLength(2);
    expect(internet.visited).toEqual([]);
  });

  test("to a name that resolves differently after it was judged reaches the judged address, then none", async () => {
    expect(statusOf(await get("http://rebind.site.test/"))).toBe(200);
    expect(statusOf(await get("http://rebind.site.test/"))).toBe(403);
  });

  test("to Gantry is refused under all rules and in all spellings", async () => {
    const port = internet.gantryPort;
    rules = { sites: ["*", `localhost:${port}`], localPorts: "all" };
    for (const host of [
      "localhost",
      "gantry.localhost",
      "127.0.0.1",
      "127.1",
      "2130706433",
      "[::1]",
      "[::ffff:127.0.0.1]",
      "0.0.0.0",
      "inside.site.test",
    ]) {
      expect(statusOf(await get(`http://${host}:${port}/`)), host).toBe(403);
      expect((await openTunnel(`${host}:${port}`)).status, host).toBe(403);
    }
    expect(internet.reached).toEqual(new Set());
  });

  test("to a port of this machine is opened once the agent's server listens there", async () => {
    const port = internet.gantryPort;
    const ports = new Set<number>();
    rules = { sites: [], localPorts: ports };
    await egress.close();
    egress = await open({
      gantry: () => ({ ports: new Set(), names: new Set() }),
      refreshPorts: async () => void ports.add(port),
    });
    expect(statusOf(await get(`http://app.localhost:${port}/?v=own`))).toBe(
      200,
    );
    expect(internet.reached).toEqual(new Set(["own"]));
  });

  test("from the user's browser reaches Google's sign-in, from an agent's does not", async () => {
    rules = { sites: ["*"], localPorts: "all" };
    await egress.close();
    egress = await open({ owner: "user" });
    expect(statusOf(await get("http://accounts.google.com/"))).toBe(502);
    expect(statusOf(await get("http://update.googleapis.com/"))).toBe(403);
  });

  test("carries a WebSocket through a tunnel, which a change of rules closes", async () => {
    const { socket, status } = await openTunnel("site.test:80");
    expect(status).toBe(200);
    socket.write(
      "GET / HTTP/1.1\r\nHost: site.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: eA==\r\n\r\n",
    );
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(statusOf(answer.toString())).toBe(101);
    egress.review();
    expect(socket.destroyed).toBe(false);
    rules = { ...rules, sites: [] };
    egress.review();
    await once(socket, "close");
  });
});

describe("a request", () => {
  test("keeps its body, with a length or in chunks", async () => {
    const post = (header: string, body: string) =>
      exchange(
        [
          "POST http://site.test/echo HTTP/1.1",
          "Host: x",
          toKey(egress.password),
          "Connection: close",
          header,
        ],
        body,
      );
    expect(await post("Content-Length: 5", "hello")).toContain(
      '"body":"hello"',
    );
    expect(
      await post("Transfer-Encoding: chunked", "5\r\nhello\r\n0\r\n\r\n"),
    ).toContain('"body":"hello"');
  });

  test.each([
    [["Content-Length: 5", "Transfer-Encoding: chunked"]],
    [["Content-Length: 5", "Content-Length: 6"]],
    [["Transfer-Encoding: chunked, identity"]],
    [["X-A: 1\n X-B: 2"]],
  ])("with %j is not forwarded", async (headers) => {
    const answer = await exchange(
      [
        "POST http://site.test/echo HTTP/1.1",
        "Host: x",
        toKey(egress.password),
        ...headers,
      ],
      "0\r\n\r\nGET http://site.test/smuggled HTTP/1.1\r\n\r\n",
    );
    expect(statusOf(answer)).toBe(400);
    expect(internet.visited).toEqual([]);
  });

  test.each([
    "/",
    "https://site.test/",
    "ftp://site.test/",
    "http://a@site.test/",
    "*",
  ])("for %s is not one of a browser", async (target) => {
    expect(statusOf(await get(target))).toBe(400);
  });

  test("fails when its site asks for a proxy password or closes the connection early", async () => {
    expect(statusOf(await get("http://site.test/407"))).toBe(502);
    expect(await get("http://site.test/cut")).toMatch(/\r\n\r\nx$/);
    expect(statusOf(await get("http://unknown.site.test/"))).toBe(502);
  });

  test("with headers over the limit is refused", async () => {
    expect(
      statusOf(await get("http://site.test/", `X-Long: ${"x".repeat(70_000)}`)),
    ).toBe(431);
  });

  test("leaves the connection open for the next one", async () => {
    const socket = connectSocket(egress.port, "127.0.0.1");
    const head = `Host: x\r\n${toKey(egress.password)}\r\n`;
    socket.write(`GET http://site.test/ HTTP/1.1\r\n${head}\r\n`);
    const [first] = (await once(socket, "data")) as [Buffer];
    expect(statusOf(first.toString())).toBe(200);
    socket.write(
      `GET http://site.test/ HTTP/1.1\r\n${head}Connection: close\r\n\r\n`,
    );
    expect(await text(socket)).toContain("<h1>site</h1>");
  });
});

test("a body's length is kept even if the peer lists it as a hop-by-hop header", () => {
  expect(
    toForwardedHeaders([
      "Connection",
      "Content-Length, X-A",
      "Content-Length",
      "1",
      "X-A",
      "1",
      "X-B",
      "2",
    ]),
  ).toEqual(["Content-Length", "1", "X-B", "2"]);
});
