import { gzipSync } from "node:zlib";
import { expect, test, vi } from "vitest";
import { startDaemon } from "../support/daemon.ts";
import { codeOf, HOOK_SECRET, startGated } from "../support/gated-kernel.ts";
import type { GatedKernel } from "../support/gated-kernel.ts";
import { openRaw, renderRequest } from "../support/raw-http.ts";
import { temporaryFolder } from "@gantry/build/testing";

const post = (
  kernel: GatedKernel,
  body: string,
  headers: readonly (readonly [string, string])[],
) =>
  kernel.sendPaired({
    method: "POST",
    target: "/api/probe",
    body,
    headers: [["content-length", String(Buffer.byteLength(body))], ...headers],
  });
const json = ["content-type", "application/json"] as const;

const chunked = (...parts: string[]) =>
  `${parts.map((part) => `${Buffer.byteLength(part).toString(16)}\r\n${part}\r\n`).join("")}0\r\n\r\n`;

test("a body is JSON in UTF-8 as it is, and nothing else", async () => {
  await using kernel = await startGated();
  const fine = [
    "application/json",
    "application/json; charset=utf-8",
    "application/json;charset=UTF-8",
    'application/json; charset="utf-8"',
    "APPLICATION/JSON",
  ];
  for (const type of fine)
    expect(
      (await post(kernel, "{}", [["content-type", type]])).status,
      type,
    ).toBe(200);
  const bad: (readonly (readonly [string, string])[])[] = [
    [],
    ...[
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "application/json; charset=utf-16",
      "application/json; charset=latin1",
      "application/json, text/plain",
      "application/jsonp",
      "text/json",
      "application/json; x=y",
      "application/vnd.api+json",
      "",
      "*/*",
    ].map((type) => [["content-type", type] as const]),
    [json, json],
    [json, ["content-type", "text/plain"]],
    ...["gzip", "deflate", "br", "identity, gzip", "x"].map((encoding) => [
      json,
      ["content-encoding", encoding] as const,
    ]),
  ];
  for (const headers of bad) {
    const answer = await post(kernel, "{}", headers);
    expect(answer.status, JSON.stringify(headers)).toBe(415);
    expect(codeOf(answer)).toBe("BODY_MEDIA_TYPE");
  }
  expect(
    (await post(kernel, "{}", [json, ["content-encoding", "identity"]])).status,
  ).toBe(200);
  const packed = gzipSync("{}").toString("latin1");
  expect(
    (await post(kernel, packed, [json, ["content-encoding", "gzip"]])).status,
  ).toBe(415);
  expect(kernel.handled()).toBe(fine.length + 1);
});

test("no body is an empty object", async () => {
  await using kernel = await startGated();
  expect(
    (await kernel.sendPaired({ method: "POST", target: "/api/probe" })).status,
  ).toBe(200);
  expect((await post(kernel, "", [])).status).toBe(200);
  const empty = {
    method: "POST",
    target: "/api/probe",
    headers: [["transfer-encoding", "chunked"], json],
    body: chunked(),
  } as const;
  expect((await kernel.sendPaired(empty)).status).toBe(200);
});

test("an unknown field, a wrong one and a parameter given twice are named", async () => {
  await using kernel = await startGated();
  const cases: [body: string, path: string][] = [
    ['{"texts":"x"}', "texts"],
    ['{"text":5}', "text"],
    ['{"text":null}', "text"],
    ['{"more":[]}', "more"],
    [`{"${"x".repeat(500)}":1}`, "x".repeat(64)],
  ];
  for (const [body, path] of cases) {
    const answer = await post(kernel, body, [json]);
    expect(answer.status, body).toBe(400);
    expect(JSON.parse(answer.body), body).toMatchObject({
      code: "INPUT_INVALID",
      errors: [{ path, message: expect.any(String) as string }],
    });
  }
  const query = async (search: string) =>
    kernel.sendPaired({ target: `/api/events/log?${search}` });
  for (const [search, path] of [
    ["limit=1&limit=2", "limit"],
    ["limit=0", "limit"],
    ["limit=501", "limit"],
    ["limit=x", "limit"],
    ["limit=0x10", "limit"],
    ["limit=1e2", "limit"],
    ["limit=1.5", "limit"],
    ["limit=%205", "limit"],
    ["limit=", "limit"],
    ["after=-1", "after"],
    ["after=", "after"],
    ["what=1", "what"],
    ["__proto__=1", "__proto__"],
  ] as const) {
    expect(JSON.parse((await query(search)).body), search).toMatchObject({
      status: 400,
      code: "INPUT_INVALID",
      errors: [{ path }],
    });
  }
  expect(
    (await query(Array.from({ length: 1_001 }, (_, n) => `a${n}=1`).join("&")))
      .status,
  ).toBe(400);
  const none = await kernel.sendPaired({ target: "/api/probe?x=1" });
  expect(JSON.parse(none.body)).toMatchObject({
    status: 400,
    errors: [{ path: "x", message: "unknown parameter" }],
  });
  expect(kernel.handled()).toBe(0);
});

test("an operation that takes no body takes an empty object, and nothing in it", async () => {
  await using kernel = await startGated();
  const logout = (body: string) =>
    kernel.sendPaired({
      method: "DELETE",
      target: "/api/probe/prb_aaaaaaaaaaaaaaaaaaaaaaaa",
      body,
      headers: [json, ["content-length", String(body.length)]],
    });
  expect((await logout("{}")).status).toBe(200);
  const refused = await logout('{"a":1,"b":2}');
  expect(codeOf(refused)).toBe("INPUT_INVALID");
  expect(JSON.parse(refused.body)).toMatchObject({
    status: 400,
    detail: expect.stringContaining('"a": unknown field') as string,
    errors: [
      { path: "a", message: "unknown field" },
      { path: "b", message: "unknown field" },
    ],
  });
});

test("what has not the shape of an id is unknown before anything is looked up", async () => {
  await using kernel = await startGated();
  const odd = [
    "x",
    "prb_",
    `prb_${"a".repeat(23)}`,
    `prb_${"a".repeat(25)}`,
    `prb_${"A".repeat(24)}`,
    `prb_${"1".repeat(24)}`,
    `agt_${"a".repeat(24)}`,
    "__proto__",
    "..%2f..%2fx",
    "a:b",
    ".git",
    "x".repeat(5000),
  ];
  for (const id of odd) {
    const answer = await kernel.sendPaired({
      method: "DELETE",
      target: `/api/probe/${id}`,
    });
    expect(codeOf(answer), id).toBe("PROBE_MISSING");
    expect(answer.body.length).toBeLessThan(400);
  }
  expect(kernel.handled()).toBe(0);
});

test("a body that is announced as too large is refused unread, and the connection ends", async () => {
  await using kernel = await startGated();
  for (const length of ["1048577", "10000000000", "9007199254740993"]) {
    const connection = await kernel.open({
      method: "POST",
      target: "/api/probe",
      headers: [json, ["content-length", length]],
    });
    const answer = await connection.answer();
    expect(answer.status).toBe(413);
    expect(codeOf(answer)).toBe("BODY_TOO_LARGE");
    expect(answer.header("connection")).toBe("close");
    await connection.closed;
  }
});

test(
  "who still sends what is no HTTP gets the answer all the same",
  { tags: "thorough" },
  async () => {
    const { port } = await startDaemon(await temporaryFolder());
    const head = `POST /api/probe HTTP/1.1\r\nHost: localhost:${port}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const more = "x".repeat(64 * 1024);
    for (let round = 0; round < 200; round++) {
      const connection = await openRaw(port);
      connection.write(`${head}no number\r\n`);
      let sending = setImmediate(function send() {
        connection.write(more);
        sending = setImmediate(send);
      });
      const answer = await connection
        .answer()
        .finally(() => clearImmediate(sending));
      expect(codeOf(answer)).toBe("HTTP_BAD_REQUEST");
      connection.socket.destroy();
    }
  },
);

test("what counts is what arrives: a body without a length is cut off at the limit", async () => {
  await using kernel = await startGated();
  for (const [method, target, limit] of [
    ["POST", "/api/probe", 1024 * 1024],
    ["PUT", "/api/probe/bytes", 1000],
  ] as const) {
    const connection = await kernel.open({
      method,
      target,
      headers: [json, ["transfer-encoding", "chunked"]],
    });
    const chunk = `4000\r\n${"x".repeat(0x4000)}\r\n`;
    let sent = 0;
    const timer = setInterval(() => {
      for (let n = 0; n < 16 && connection.socket.writable; n++) {
        connection.write(chunk);
        sent += 0x4000;
      }
    }, 1);
    const answer = await connection
      .answer()
      .finally(() => clearInterval(timer));
    expect(answer.status, target).toBe(413);
    await connection.closed;
    expect(sent).toBeLessThan(limit + 8 * 1024 * 1024);
  }
  expect(kernel.handled()).toBe(0);
});

test("a body of exactly the limit is taken, one byte more is not", async () => {
  await using kernel = await startGated();
  const put = (
    length: number,
    headers: readonly (readonly [string, string])[],
    body: string,
  ) =>
    kernel
      .sendPaired({
        method: "PUT",
        target: "/api/probe/bytes",
        body,
        headers: [["content-type", "anything/at-all"], ...headers],
      })
      .then(({ status }) => `${length} ${status}`);
  for (const [length, status] of [
    [0, 200],
    [1, 200],
    [1000, 200],
    [1001, 413],
  ]) {
    const bytes = "x".repeat(length ?? 0);
    const expected = `${length} ${status}`;
    expect(
      await put(length ?? 0, [["content-length", String(length)]], bytes),
    ).toBe(expected);
    expect(
      await put(
        length ?? 0,
        [["transfer-encoding", "chunked"]],
        length ? chunked(...bytes) : chunked(),
      ),
    ).toBe(expected);
  }
});

test("a body of an unauthenticated client that is not there after ten seconds is given up, one of a paired caller is waited for", async () => {
  await using kernel = await startGated();
  const begin = (target: string, method: string, secret: string) =>
    kernel.open({
      method,
      target,
      headers: [
        ["content-length", "10"],
        ["authorization", `Bearer ${secret}`],
      ],
      body: "slow",
    });
  const outsider = await begin("/api/probe/hook", "POST", HOOK_SECRET);
  const caller = await begin("/api/probe/bytes", "PUT", "");
  // Both have been let in when a request behind them is answered.
  await kernel.sendPaired({ target: "/api/probe" });
  await kernel.clock.advance(9_999);
  expect(outsider.rest() + caller.rest()).toBe("");
  await kernel.clock.advance(1);
  const answer = await outsider.answer();
  expect([answer.status, codeOf(answer)]).toEqual([408, "HTTP_TIMEOUT"]);
  await outsider.closed;
  caller.write(" going");
  expect((await caller.answer()).status).toBe(200);
});

test("a client that leaves in the middle of its body is no fault, and nothing runs", async () => {
  await using kernel = await startGated();
  const connection = await kernel.open({
    method: "POST",
    target: "/api/probe",
    headers: [json, ["content-length", "100"]],
    body: '{"text":',
  });
  await vi.waitFor(() =>
    expect(connection.socket.bytesWritten).toBeGreaterThan(0),
  );
  connection.socket.destroy();
  await connection.closed;
  expect((await kernel.sendPaired({ target: "/api/probe" })).status).toBe(200);
  expect(kernel.handled()).toBe(1);
  expect(kernel.log.filter(({ level }) => level === "error")).toEqual([]);
});

test("what follows a body on its connection is the next request", async () => {
  await using kernel = await startGated();
  const connection = await kernel.open({
    method: "POST",
    target: "/api/probe",
    headers: [json, ["content-length", "2"]],
    body: "{}",
  });
  connection.write(
    renderRequest({
      target: "/api/probe",
      headers: [
        ["host", kernel.host],
        ["cookie", kernel.cookie],
      ],
    }),
  );
  expect((await connection.answer()).status).toBe(200);
  expect((await connection.answer()).status).toBe(200);
});
