import { once } from "node:events";
import { connect } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { defineErrors } from "@gantry/plugin";
import type { SocketDefinition, SocketPeer } from "@gantry/plugin";
import { codeOf } from "../support/gated-kernel.ts";
import { startProbe } from "../support/probe.ts";
import type { ProbedKernel } from "../support/probe.ts";
import { openRaw, renderRequest, sendRaw } from "../support/raw-http.ts";
import { openSocket } from "../support/web-socket.ts";

const errors = defineErrors({
  PROBE_UNAUTHORIZED: {
    status: 401,
    title: "No",
    detail: "The secret is wrong.",
  },
});

async function startWith(definition: Partial<SocketDefinition> = {}) {
  const kernel = await startProbe({
    setup: (ctx) =>
      void ctx.socket({
        path: "/api/probe/{name}/socket",
        summary: "Made for a test",
        access: "session",
        ...definition,
      }),
  });
  const { cookie, client, sessionId } = await kernel.pairAs("Socket");
  const open = (name = "one", headers: Record<string, string> = {}) =>
    openSocket(`${kernel.url}/api/probe/${name}/socket?a=1`, {
      cookie,
      origin: kernel.url,
      ...headers,
    });
  return Object.assign(kernel, { cookie, client, sessionId, open });
}

const HANDSHAKE = [
  ["connection", "upgrade"],
  ["upgrade", "websocket"],
  ["sec-websocket-version", "13"],
  ["sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="],
] as const;

/** Asks for an upgrade and gives the status, 101 if it was let through. */
async function knock(
  kernel: ProbedKernel,
  headers: readonly (readonly [string, string])[],
  target = "/api/probe/one/socket",
) {
  const own = ["host", `127.0.0.1:${kernel.kernel.port}`] as const;
  const connection = await openRaw(kernel.kernel.port);
  connection.write(
    renderRequest({ target, headers: [own, ...HANDSHAKE, ...headers] }),
  );
  // After a 101 come frames, so it has no length and no end.
  await vi.waitFor(() => expect(connection.rest()).toContain("\r\n\r\n"));
  connection.socket.destroy();
  return Number(connection.rest().split(" ")[1]);
}

test("a socket is open after the handshake, with what its address says", async () => {
  const opened: SocketPeer[] = [];
  const closed = vi.fn<(code: number) => void>();
  await using kernel = await startWith({
    open: (peer) => void opened.push(peer),
    message: (peer, data) =>
      peer.send(typeof data === "string" ? `echo ${data}` : data.toReversed()),
    close: (_, code) => closed(code),
  });
  const socket = await kernel.open("some%20name");
  socket.send("é");
  expect(await socket.next()).toBe("echo é");
  socket.send(Uint8Array.of(1, 2, 255));
  expect(await socket.next()).toEqual(Uint8Array.of(255, 2, 1));
  expect(opened).toMatchObject([
    {
      params: { name: expect.stringMatching(/^some(%20| )name$/) as string },
      caller: { sessionId: kernel.sessionId, kind: "browser" },
    },
  ]);
  expect(opened[0]?.search.get("a")).toBe("1");
  socket.close(1000);
  await vi.waitFor(() => expect(closed).toHaveBeenCalledWith(1000));
  expect(kernel.kernel.http.connections.size).toBe(0);
});

test("a refused upgrade ends the connection, also one that its client keeps open", async () => {
  await using kernel = await startWith();
  const { host, hostname, port } = new URL(kernel.url);
  const client = connect({
    host: hostname,
    port: Number(port),
    allowHalfOpen: true,
  });
  let answer = "";
  client.on("data", (chunk) => (answer += String(chunk)));
  const isCut = once(client, "error");
  client.write(
    renderRequest({
      target: "/api/probe/one/socket",
      headers: [["host", host], ...HANDSHAKE],
    }),
  );
  await once(client, "end");
  expect(answer).toMatch(/^HTTP\/1.1 401 /);
  // It is not read; a connection that is there takes it all the same.
  const writing = setInterval(() => client.write("x"), 10);
  onTestFinished(() => clearInterval(writing));
  expect((await isCut)[0]).toMatchObject({
    code: expect.stringMatching(/^(EPIPE|ECONNRESET)$/) as string,
  });
});

test("an upgrade needs a session, our origin, and an address that is one", async () => {
  const open = vi.fn<() => void>();
  await using kernel = await startWith({ open });
  const cookie = ["cookie", kernel.cookie] as const;
  const origin = ["origin", kernel.url] as const;
  expect(await knock(kernel, [cookie, origin])).toBe(101);
  await vi.waitFor(() => expect(open).toHaveBeenCalledOnce());
  const refused: [number, (readonly [string, string])[]][] = [
    [401, []],
    [401, [origin]],
    [401, [["cookie", `gantry_session=${"a".repeat(43)}`], origin]],
    [401, [["sec-websocket-protocol", kernel.cookie.slice(15)], origin]],
    [403, [cookie]],
    [403, [cookie, ["origin", "http://evil.example"]]],
    [403, [cookie, ["origin", "null"]]],
    [403, [cookie, ["origin", `${kernel.url}.evil`]]],
    [403, [cookie, ["origin", kernel.url.replace("http", "ws")]]],
    [403, [cookie, origin, origin]],
    [403, [cookie, origin, ["sec-fetch-site", "cross-site"]]],
    [403, [cookie, origin, ["sec-fetch-site", "same-site"]]],
  ];
  for (const [status, headers] of refused)
    expect(await knock(kernel, headers), JSON.stringify(headers)).toBe(status);
  expect(
    await knock(
      kernel,
      [origin],
      `/api/probe/one/socket?token=${kernel.cookie.slice(15)}`,
    ),
  ).toBe(401);
  for (const target of [
    "/api/probe",
    "/api/unknown",
    "/",
    "/pair",
    "/api/events",
    "/api/probe/one/socket/more",
    "/api/probe//socket",
  ]) {
    expect(await knock(kernel, [cookie, origin], target), target).toBe(404);
    expect(await knock(kernel, [origin], target), target).toBe(401);
  }
  expect(open).toHaveBeenCalledOnce();
});

test("a socket of its own credential is opened by that credential alone", async () => {
  await using kernel = await startWith({
    access: "self",
    authorize(head) {
      if (head.header("authorization") !== "Bearer right")
        throw errors.PROBE_UNAUTHORIZED();
    },
  });
  expect(await knock(kernel, [["authorization", "Bearer right"]])).toBe(101);
  expect(await knock(kernel, [["authorization", "Bearer wrong"]])).toBe(401);
  expect(
    await knock(kernel, [
      ["cookie", kernel.cookie],
      ["origin", kernel.url],
    ]),
  ).toBe(401);
});

test.each([
  ["another version", [["sec-websocket-version", "8"], HANDSHAKE[3]]],
  ["no key", [HANDSHAKE[2]]],
  ["a key that is none", [HANDSHAKE[2], ["sec-websocket-key", "x"]]],
  ["another protocol", [["upgrade", "h2c"], HANDSHAKE[2], HANDSHAKE[3]]],
] as const)("a handshake with %s opens nothing", async (_, headers) => {
  const open = vi.fn<() => void>();
  await using kernel = await startWith({ open });
  const own = [
    ["host", `127.0.0.1:${kernel.kernel.port}`],
    ["cookie", kernel.cookie],
    ["origin", kernel.url],
    ["connection", "upgrade"],
  ] as const;
  const hasUpgrade = headers.some(([name]) => name === "upgrade");
  const request = renderRequest({
    target: "/api/probe/one/socket",
    headers: [
      ...own,
      ...(hasUpgrade ? [] : [["upgrade", "websocket"] as const]),
      ...headers,
    ],
  });
  const answer = await sendRaw(kernel.kernel.port, request);
  expect(answer.status).toBe(400);
  expect(codeOf(answer)).toBe("HTTP_BAD_REQUEST");
  expect(open).not.toHaveBeenCalled();
});

test("a message that is too large closes the socket, one of exactly the limit does not", async () => {
  await using kernel = await startWith({
    maxMessage: 1000,
    message: (peer, data) => peer.send(String(data.length)),
  });
  const socket = await kernel.open();
  socket.send("x".repeat(1000));
  expect(await socket.next()).toBe("1000");
  socket.send("é".repeat(501));
  expect(await socket.closed).toMatchObject({ code: 1009 });
});

test("a message far over any limit is not even taken in", async () => {
  const message = vi.fn<() => void>();
  await using kernel = await startWith({ message });
  const socket = await kernel.open();
  socket.send("x".repeat(64 * 1024 + 1));
  expect(await socket.closed).toMatchObject({ code: 1009 });
  const other = await kernel.open();
  other.send(new Uint8Array(17 * 1024 * 1024));
  expect([1006, 1009]).toContain((await other.closed).code);
  expect(message).not.toHaveBeenCalled();
});

test("a client that keeps sending after it was told to go is not heard", async () => {
  const heard: unknown[] = [];
  await using kernel = await startWith({
    message: (_, data) => void heard.push(data),
  });
  // Without a library that would answer the goodbye.
  const connection = await openRaw(kernel.kernel.port);
  const headers = [
    ["host", `127.0.0.1:${kernel.kernel.port}`],
    ["cookie", kernel.cookie],
    ["origin", kernel.url],
    ...HANDSHAKE,
  ] as const;
  connection.write(renderRequest({ target: "/api/probe/one/socket", headers }));
  const say = (letter: string) =>
    connection.write(
      Buffer.from([0x81, 0x81, 0, 0, 0, 0, letter.charCodeAt(0)]),
    );
  say("a");
  await vi.waitFor(() => expect(heard).toEqual(["a"]));
  await kernel.api.delete(`/api/auth/sessions/${kernel.sessionId}`);
  say("b");
  await connection.closed;
  expect(heard).toEqual(["a"]);
});

test("more messages than a user types end the socket, a burst does not", async () => {
  await using kernel = await startWith({
    message: (peer, data) => peer.send(data),
  });
  const calm = await kernel.open();
  for (let n = 0; n < 500; n++) calm.send(String(n));
  for (let n = 0; n < 500; n++) expect(await calm.next()).toBe(String(n));
  calm.send("one too many");
  expect(await calm.closed).toMatchObject({ code: 1008 });
});

test("compression is not offered", async () => {
  await using kernel = await startWith();
  const connection = await openRaw(kernel.kernel.port);
  const headers = [
    ["host", `127.0.0.1:${kernel.kernel.port}`],
    ["cookie", kernel.cookie],
    ["origin", kernel.url],
    ...HANDSHAKE,
    ["sec-websocket-extensions", "permessage-deflate"],
  ] as const;
  connection.write(renderRequest({ target: "/api/probe/one/socket", headers }));
  await vi.waitFor(() => expect(connection.rest()).toContain("\r\n\r\n"));
  expect(connection.rest()).toMatch(/^HTTP\/1\.1 101 /);
  expect(connection.rest().toLowerCase()).not.toContain(
    "sec-websocket-extensions",
  );
});

test.each(["open", "message", "close"] as const)(
  "a hook that throws (%s) costs that one socket",
  async (hook) => {
    let fails = true;
    const throwing = () => {
      if (fails) throw new Error("Bad hook");
    };
    await using kernel = await startWith({
      message: (peer) => peer.send("fine"),
      [hook]: throwing,
    });
    kernel.expectFault(/Bad hook/);
    const socket = await kernel.open();
    if (hook === "message") socket.send("x");
    if (hook === "close") socket.close(1000);
    expect((await socket.closed).code).toBe(hook === "close" ? 1000 : 1011);
    await vi.waitFor(() =>
      expect(kernel.log).toContainEqual(
        expect.objectContaining({
          message: "Socket hook failed",
          plugin: "probe",
        }),
      ),
    );
    fails = false;
    const other = await kernel.open();
    if (hook !== "message") {
      other.send("x");
      expect(await other.next()).toBe("fine");
    }
  },
);

test("sockets end with their plugin and with the daemon", async () => {
  await using kernel = await startWith();
  const first = await kernel.open();
  await kernel.kernel.plugins.stop("probe");
  expect(await first.closed).toMatchObject({ code: 1001 });
  expect(
    await knock(kernel, [
      ["cookie", kernel.cookie],
      ["origin", kernel.url],
    ]),
  ).toBe(503);
  await kernel.kernel.plugins.start();
  const second = await kernel.open();
  const stopped = kernel.kernel.stop();
  expect(await second.closed).toMatchObject({ code: 1001 });
  await stopped;
});

test("frames that are no frames end the socket and nothing else", async () => {
  await using kernel = await startWith();
  const headers = [
    ["host", `127.0.0.1:${kernel.kernel.port}`],
    ["cookie", kernel.cookie],
    ["origin", kernel.url],
    ...HANDSHAKE,
  ] as const;
  const bad = [
    Buffer.alloc(100, 0xff),
    // Not masked, reserved bits, a fragment that was never begun, a control frame that is too long, text that is not UTF-8.
    Buffer.from([0x81, 0x01, 0x41]),
    Buffer.from([0xf1, 0x81, 0, 0, 0, 0, 0x41]),
    Buffer.from([0x80, 0x81, 0, 0, 0, 0, 0x41]),
    Buffer.concat([
      Buffer.from([0x89, 0xfe, 0x00, 0x80, 0, 0, 0, 0]),
      Buffer.alloc(128),
    ]),
    Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0xff]),
  ];
  for (const bytes of bad) {
    const connection = await openRaw(kernel.kernel.port);
    connection.write(
      renderRequest({ target: "/api/probe/one/socket", headers }),
    );
    await vi.waitFor(() => expect(connection.rest()).toContain("\r\n\r\n"));
    connection.write(bytes);
    await connection.closed;
  }
  const fine = await kernel.open();
  fine.close(1000);
  expect(await fine.closed).toMatchObject({ code: 1000 });
});

test("a plugin says what is not there before a socket is open, to those who may know", async () => {
  await using kernel = await startWith({
    admit({ params: { name } }) {
      if (name !== "one") throw errors.PROBE_UNAUTHORIZED();
    },
  });
  const { cookie } = kernel;
  const own = [
    ["cookie", cookie],
    ["origin", kernel.url],
  ] as const;
  expect(await knock(kernel, own)).toBe(101);
  expect(await knock(kernel, own, "/api/probe/two/socket")).toBe(401);
  expect(await knock(kernel, [], "/api/probe/two/socket")).toBe(401);
  expect(
    await knock(kernel, [["cookie", cookie]], "/api/probe/one/socket"),
  ).toBe(403);
});
