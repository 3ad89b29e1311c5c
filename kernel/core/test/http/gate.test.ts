import { expect, test } from "vitest";
import { codeOf, HOOK_SECRET, startGated } from "../support/gated-kernel.ts";
import type { GatedKernel } from "../support/gated-kernel.ts";
import { openRaw, sendRaw } from "../support/raw-http.ts";
import type { RawAnswer } from "../support/raw-http.ts";

/** All of an answer but what is different for each: the request's id and the time. */
const comparable = ({ status, headers, body }: RawAnswer) => ({
  status,
  body,
  headers: headers.filter(
    ([name]) => name !== "x-request-id" && name !== "date",
  ),
});

interface OpenApi {
  paths: Record<string, Record<string, { security: object[] }>>;
}

/** Every operation that the served document names, with parameters filled in. */
async function operationsOf(kernel: GatedKernel) {
  const { body } = await kernel.api.get<OpenApi>("/api/openapi.json");
  return Object.entries(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security }]) => ({
      method: method.toUpperCase(),
      target: path.replace(/\{\w+\}/g, "prb_aaaaaaaaaaaaaaaaaaaaaaaa"),
      needsSession: security.some((scheme) => "session" in scheme),
    })),
  );
}

const UNKNOWN = [
  "/api",
  "/api/",
  "/api/unknown",
  "/api/agents/agt_x",
  "/api/auth",
  "/api/auth/",
  "/api/auth/unknown",
  "/api/probe/unknown/deep",
  "/api/../api/unknown",
  "/api/plugins/x",
  "/api/system/x",
  "/api/.git/config",
  "/api/x?y=1",
  "/api/events/x",
];

test("an unauthenticated client gets the same bytes at every path", async () => {
  await using kernel = await startGated();
  const operations = (await operationsOf(kernel)).filter(
    ({ needsSession }) => needsSession,
  );
  expect(operations.length).toBeGreaterThan(12);
  const targets = [
    ...operations,
    ...UNKNOWN.flatMap((target) =>
      ["GET", "POST", "PUT", "DELETE", "PATCH"].map((method) => ({
        method,
        target,
      })),
    ),
    // A method that a path does not have.
    ...operations.map(({ target }) => ({ method: "PATCH", target })),
  ];
  const cookies = [
    undefined,
    "gantry_session=",
    `gantry_session=${"a".repeat(43)}`,
    `other=1; gantry_session=${"_".repeat(43)}`,
  ];
  const expected = comparable(await kernel.send({ target: "/api/unknown" }));
  expect(expected.status).toBe(401);
  expect(JSON.parse(expected.body)).toEqual({
    type: "urn:gantry:problem:AUTH_NOT_PAIRED",
    title: "Not paired",
    status: 401,
    code: "AUTH_NOT_PAIRED",
    detail: expect.any(String) as string,
  });
  for (const { method, target } of targets) {
    const cookie = cookies[(target.length + method.length) % cookies.length];
    const headers = cookie === undefined ? [] : [["cookie", cookie] as const];
    expect(
      comparable(await kernel.send({ method, target, headers })),
      `${method} ${target}`,
    ).toEqual(expected);
  }
  expect(kernel.handled()).toBe(0);
});

test("no spelling of an address leads past the gate", async () => {
  await using kernel = await startGated();
  const spellings = [
    "/API/probe",
    "//api/probe",
    "/api//probe",
    "/api%2fprobe",
    "/api/%70robe",
    "/%61pi/probe",
    "/./api/probe",
    "/x/../api/probe",
    "/x/%2e%2e/api/probe",
    "/api\\probe",
    "/\\api/probe",
    "/api/probe/",
    "/api/probe;x=1",
    "/api/probe%00",
    "/api/probe%0a",
    "/api/probe/.",
    "/api/./probe",
    "/api/probe#x",
    "/api/%E0%A4%A",
    "/%",
    "/api/probe%",
    "/api/%C0%AFprobe",
    "/..%2fapi/probe",
  ];
  for (const target of spellings) {
    for (const method of ["GET", "POST"]) {
      const answer = await kernel.send({ method, target });
      expect([400, 401, 404, 405], `${method} ${target}`).toContain(
        answer.status,
      );
      expect(answer.header("content-type"), target).toBe(
        "application/problem+json",
      );
    }
  }
  expect(kernel.handled()).toBe(0);
});

test("a paired caller hears that a path is unknown, and which methods a known one takes", async () => {
  await using kernel = await startGated();
  for (const target of UNKNOWN) {
    const answer = await kernel.sendPaired({ target });
    expect(answer.status, target).toBe(404);
    expect(codeOf(answer), target).toBe("ROUTE_NOT_FOUND");
    expect(answer.body).not.toContain("unknown");
  }
  const methods: [method: string, target: string, allow: string][] = [
    ["PUT", "/api/probe", "GET, HEAD, POST"],
    ["PATCH", "/api/probe/prb_x", "DELETE"],
    ["GET", "/api/probe/bytes", "PUT"],
    ["OPTIONS", "/api/probe", "GET, HEAD, POST"],
    ["TRACE", "/api/probe", "GET, HEAD, POST"],
    ["QUERY", "/api/probe", "GET, HEAD, POST"],
    ["POST", "/", "GET, HEAD"],
    ["DELETE", "/favicon.svg", "GET, HEAD"],
    ["POST", "/docs", "GET, HEAD"],
  ];
  for (const [method, target, allow] of methods) {
    const answer = await kernel.sendPaired({
      method,
      target,
      headers: [["origin", kernel.origin]],
    });
    expect(answer.status, `${method} ${target}`).toBe(405);
    expect(answer.header("allow"), `${method} ${target}`).toBe(allow);
  }
  expect(kernel.handled()).toBe(0);
});

test("a wrong method of a webhook is reported only to a caller with the secret", async () => {
  await using kernel = await startGated();
  const ask = (method: string, secret?: string) =>
    kernel.send({
      method,
      target: "/api/probe/hook",
      headers: secret ? [["authorization", `Bearer ${secret}`]] : [],
    });
  for (const method of ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"]) {
    expect((await ask(method)).status, method).toBe(401);
    expect((await ask(method, "wrong")).status, method).toBe(401);
    const known = await ask(method, HOOK_SECRET);
    expect(known.status, method).toBe(405);
    expect(known.header("allow")).toBe("POST");
  }
  expect(kernel.handled()).toBe(0);
});

test("HEAD is GET without the body", async () => {
  await using kernel = await startGated();
  for (const target of [
    "/api/probe",
    "/favicon.svg",
    "/",
    "/api/probe/stream",
  ]) {
    const headers = [["connection", "close"]] as const;
    const connection = await kernel.open({ method: "HEAD", target, headers });
    expect((await connection.answer("HEAD")).status, target).toBe(200);
    await connection.closed;
    expect(connection.rest(), target).toBe("");
  }
  const get = await kernel.sendPaired({ target: "/api/probe" });
  expect(get.body).toBe('{"ok":true}');
});

test("a body where none is taken is refused and not read", async () => {
  await using kernel = await startGated();
  for (const target of ["/api/probe", "/", "/favicon.svg", "/api/events"]) {
    for (const method of ["GET", "HEAD"]) {
      const headers = [["content-length", "10000000000"]] as const;
      const connection = await kernel.open({ method, target, headers });
      const answer = await connection.answer(method);
      expect(answer.status, `${method} ${target}`).toBe(400);
      expect(answer.header("connection")).toBe("close");
      await connection.closed;
    }
  }
  expect(kernel.handled()).toBe(0);
});

test("an address or a head that is too large is refused", async () => {
  await using kernel = await startGated();
  const long = await kernel.sendPaired({
    target: `/api/probe?${"x".repeat(8192)}`,
  });
  expect(long).toMatchObject({ status: 414 });
  expect(codeOf(long)).toBe("HTTP_URI_TOO_LONG");
  expect(
    (await kernel.sendPaired({ target: `/api/probe?${"x".repeat(8192 - 12)}` }))
      .status,
  ).toBe(400);
  const many = Array.from({ length: 99 }, (_, n) => [`x-${n}`, "1"] as const);
  expect(
    (
      await kernel.sendPaired({
        target: "/api/probe",
        headers: many.slice(0, 98),
      })
    ).status,
  ).toBe(200);
  const answer = await kernel.sendPaired({
    target: "/api/probe",
    headers: many,
  });
  expect(answer.status).toBe(431);
  expect(codeOf(answer)).toBe("HTTP_HEADERS_TOO_LARGE");
  const large = await kernel.sendPaired({
    target: "/api/probe",
    headers: [["x-large", "x".repeat(17_000)]],
  });
  expect(large.status).toBe(431);
  expect(kernel.handled()).toBe(1);
});

test("a header that Node would have dropped is still seen", async () => {
  await using kernel = await startGated();
  const filler = Array.from({ length: 2_100 }, () => ["a", "1"] as const);
  const headers = [...filler, ["origin", "http://evil.example"]] as const;
  const answer = await kernel.sendPaired({
    method: "POST",
    target: "/api/probe",
    headers,
  });
  expect(answer.status).toBe(431);
  expect(kernel.handled()).toBe(0);
});

test("what is not well-formed HTTP is answered once, and the connection ends", async () => {
  await using kernel = await startGated();
  const head = `POST /api/probe HTTP/1.1\r\nHost: ${kernel.host}\r\nCookie: ${kernel.cookie}\r\nContent-Type: application/json\r\n`;
  const smuggled = `GET /api/probe HTTP/1.1\r\nHost: ${kernel.host}\r\nCookie: ${kernel.cookie}\r\n\r\n`;
  const bad = [
    `${head}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
    `${head}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}${smuggled}`,
    `${head}Content-Length: 2, 2\r\n\r\n{}${smuggled}`,
    `${head}Content-Length: -1\r\n\r\n${smuggled}`,
    `${head}Content-Length: +2\r\n\r\n{}${smuggled}`,
    `${head}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${smuggled}`,
    `${head}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${smuggled}`,
    `${head}Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n${smuggled}`,
    `${head}Transfer-Encoding: chunked\r\n\r\n2;${"x".repeat(20_000)}\r\n{}\r\n0\r\n\r\n${smuggled}`,
    `${head}X-Space : 1\r\n\r\n${smuggled}`,
    `${head}X-Null: a\0b\r\n\r\n${smuggled}`,
    `GET /api/probe\r\n\r\n${smuggled}`,
    `get /api/probe HTTP/1.1\r\n\r\n${smuggled}`,
    `GET /api/probe HTTP/9.9\r\n\r\n${smuggled}`,
    `${head.replace("1.1", "2.0")}Content-Length: 2\r\n\r\n{}`,
    `${head.replace("1.1", "0.9")}Content-Length: 2\r\n\r\n{}`,
    `\x16\x03\x01\x02\x00\x01\x00`,
  ];
  for (const request of bad) {
    const connection = await openAndWrite(kernel, request);
    await connection.closed;
    const answers = connection.rest().match(/HTTP\/1\.1 \d+/g) ?? [];
    expect(answers.length, request).toBeLessThanOrEqual(1);
    for (const answer of answers)
      expect(answer, request).toMatch(/ (400|413|431)$/);
  }
  expect(kernel.handled()).toBe(0);
  const fine = await openAndWrite(
    kernel,
    `${head}Transfer-Encoding: ChUnKeD\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  );
  expect((await fine.answer()).status).toBe(200);
});

test("what comes behind a request is not taken for its answer", async () => {
  await using kernel = await startGated();
  const request = `POST /api/probe HTTP/1.1\r\nHost: ${kernel.host}\r\nCookie: ${kernel.cookie}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`;
  const connection = await openAndWrite(kernel, `${request}0123456789\r\n\r\n`);
  const answer = await connection.answer();
  expect(answer.status).toBe(200);
  expect(answer.header("connection")).toBe("close");
  await connection.closed;
  expect(connection.rest()).toBe("");
  expect(kernel.handled()).toBe(1);
});

async function openAndWrite(kernel: GatedKernel, bytes: string) {
  const connection = await openRaw(kernel.port);
  connection.write(bytes);
  return connection;
}

const SECURITY_HEADERS = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": expect.stringContaining("camera=()") as string,
  "x-request-id": expect.stringMatching(/^req_[a-z0-9]+$/) as string,
};

test("every answer carries the security headers and an id of its own", async () => {
  await using kernel = await startGated();
  const { port, host, cookie } = kernel;
  const upgrade = [
    ["connection", "upgrade"],
    ["upgrade", "websocket"],
    ["sec-websocket-version", "13"],
    ["sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="],
  ] as const;
  const paired = [
    ["host", host],
    ["cookie", cookie],
  ] as const;
  const answers: Record<string, RawAnswer> = {
    "an answer": await kernel.sendPaired({ target: "/api/probe" }),
    "a refusal": await kernel.send({ target: "/api/probe" }),
    "an unknown path": await kernel.sendPaired({ target: "/api/unknown" }),
    "bad input": await kernel.sendPaired({ target: "/api/probe?x=1" }),
    "a page": await kernel.send({ target: "/" }),
    "a file": await kernel.send({ target: "/favicon.svg" }),
    "a missing file": await kernel.send({ target: "/missing.js" }),
    "a redirect": await sendRaw(port, {
      target: "/",
      headers: [["host", `127.0.0.1:${port}`]],
    }),
    "the reference": await kernel.sendPaired({ target: "/docs" }),
    "a foreign name": await sendRaw(port, {
      headers: [["host", "evil.example"]],
    }),
    "no name": await sendRaw(port, { headers: [] }),
    "an absolute target": await kernel.send({ target: "http://x/" }),
    "a head that is too large": await kernel.send({
      headers: [["x", "x".repeat(17_000)]],
    }),
    "what is no HTTP": await sendRaw(port, "nonsense\r\n\r\n"),
    "an upgrade that is refused": await sendRaw(port, {
      target: "/api/probe/socket",
      headers: [["host", host], ...upgrade],
    }),
    "an upgrade to nothing": await sendRaw(port, {
      target: "/api/nothing",
      headers: [...paired, ["origin", kernel.origin], ...upgrade],
    }),
    "an expectation that cannot be met": await sendRaw(port, {
      target: "/api/probe",
      headers: [...paired, ["expect", "a miracle"]],
    }),
  };
  const ids = new Set<string>();
  for (const [what, { headers }] of Object.entries(answers)) {
    expect(Object.fromEntries(headers), what).toMatchObject(SECURITY_HEADERS);
    const names = headers.map(([name]) => name);
    expect(new Set(names).size, what).toBe(names.length);
    ids.add(Object.fromEntries(headers)["x-request-id"] ?? "");
  }
  expect(ids.size).toBe(Object.keys(answers).length);
  for (const what of [
    "an answer",
    "a refusal",
    "an unknown path",
    "a foreign name",
    "an upgrade that is refused",
  ])
    expect(answers[what]?.header("cache-control"), what).toBe("no-store");
});
