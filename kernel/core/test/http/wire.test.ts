import { expect, test } from "vitest";
import { HOOK_HOST, HOOK_SECRET, startGated } from "../support/gated-kernel.ts";
import type { GatedKernel } from "../support/gated-kernel.ts";
import { createProbe } from "../support/probe.ts";
import { addAnswers, recordAnswer } from "../support/wire.ts";
import type { WireRequest } from "../support/wire.ts";

type Header = readonly [name: string, value: string];

const isPaired = true;
const JSON_TYPE: Header = ["Content-Type", "application/json"];

const upgrade = (...more: Header[]): readonly Header[] => [
  ["Connection", "upgrade"],
  ["Upgrade", "websocket"],
  ["Sec-WebSocket-Version", "13"],
  ["Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="],
  ...more,
];

/** A POST with a body of JSON, or of what is given. */
const post = (target: string, body: string, ...headers: Header[]) => ({
  method: "POST",
  target,
  headers: [
    ["Content-Length", String(Buffer.byteLength(body))] as const,
    ...headers,
  ],
  body,
});
const postJson = (target: string, body: string, ...more: Header[]) =>
  post(target, body, JSON_TYPE, ...more);

const ANSWERS: Record<string, WireRequest> = {
  "200: JSON": { target: "/api/probe", isPaired },
  "200: JSON, the connection ends": {
    target: "/api/probe",
    headers: [["Connection", "close"]],
    isPaired,
  },
  "200: JSON, HTTP/1.0": { target: "/api/probe", version: "1.0", isPaired },
  "200: HEAD": { method: "HEAD", target: "/api/probe", isPaired },
  "200: JSON, to a body": {
    ...postJson("/api/probe", '{"text":"x"}', ["Expect", "100-continue"]),
    isPaired,
  },
  "200: further headers": { target: "/api/probe/headers", isPaired },
  "200: text with its own cache header": {
    target: "/api/probe/text",
    isPaired,
  },
  "206: bytes": { target: "/api/probe/part", isPaired },
  "200: event stream": { target: "/api/probe/events", isPaired },
  "200: event stream, HEAD": {
    method: "HEAD",
    target: "/api/probe/events",
    isPaired,
  },
  "200: webhook": {
    ...post("/api/probe/hook", "x", ["Authorization", `Bearer ${HOOK_SECRET}`]),
    host: HOOK_HOST,
  },
  "200: idempotent": {
    ...postJson("/api/probe/once", '{"n":1}', ["Idempotency-Key", "key"]),
    isPaired,
  },
  "200: idempotent, answered again": {
    ...postJson("/api/probe/once", '{"n":1}', ["Idempotency-Key", "key"]),
    isPaired,
  },
};

const PAGES: Record<string, WireRequest> = {
  "200: page": { target: "/" },
  "200: page, HEAD": { method: "HEAD", target: "/" },
  "200: page, compressed": {
    target: "/pair",
    headers: [["Accept-Encoding", "gzip, br"]],
  },
  "200: file with a hash in its name": { target: "/_nuxt/entry.abc123.js" },
  "200: file": { target: "/favicon.svg" },
  "200: reference": { target: "/docs", isPaired },
  "302: page under another name": {
    target: "/x?y=1",
    host: "127.0.0.1:<port>",
  },
  "401: reference": { target: "/docs" },
  "404: file": { target: "/missing.js" },
  "404: file of a plugin": { target: "/plugins/probe/ui/x.mjs", isPaired },
  "405: page": { method: "POST", target: "/" },
};

const REFUSALS: Record<string, WireRequest> = {
  "400: query": { target: "/api/probe?x=1", isPaired },
  "400: body": { ...postJson("/api/probe", '{"text":1,"x":{}}'), isPaired },
  "400: no JSON": { ...postJson("/api/probe", "{"), isPaired },
  "400: forbidden key": {
    ...postJson("/api/probe", '{"__proto__":{}}'),
    isPaired,
  },
  "400: body of a GET": {
    target: "/api/probe",
    headers: [["Content-Length", "1"]],
    body: "x",
    isPaired,
  },
  "400: revision": {
    target: "/api/probe",
    headers: [["If-Match", "1"]],
    isPaired,
  },
  "400: idempotency key": {
    ...postJson("/api/probe/once", '{"n":1}', ["Idempotency-Key", ""]),
    isPaired,
  },
  "400: a path that cannot be decoded": { target: "/%zz", isPaired },
  "400: an operation that cannot be decoded": { target: "/api/%zz", isPaired },
  "400: absolute target": { target: "http://evil.example/api/probe", isPaired },
  "400: no host": { target: "/api/probe", host: null },
  "400: two hosts": {
    target: "/api/probe",
    headers: [["Host", "gantry.localhost"]],
  },
  "400: two lengths": {
    ...postJson("/api/probe", "{}", ["Content-Length", "3"]),
    isPaired,
  },
  "400: no HTTP": { bytes: "nonsense\r\n\r\n" },
  "400: version": { target: "/api/probe", version: "2.0", isPaired },
  "401: no session": { target: "/api/probe" },
  "401: unknown path, no session": { target: "/api/unknown" },
  "401: wrong method, no session": { method: "PATCH", target: "/api/probe" },
  "401: two credentials": {
    target: "/api/probe",
    headers: [
      ["Authorization", "Bearer x"],
      ["Authorization", "Bearer y"],
    ],
  },
  "401: two cookies": {
    target: "/api/probe",
    headers: [["Cookie", "gantry_session=x"]],
    isPaired,
  },
  "401: secret of a webhook": post("/api/probe/hook", "x"),
  "401: pairing code": postJson("/pair", '{"code":"wrong","device":"x"}'),
  "403: host": { target: "/api/probe", host: "evil.example" },
  "403: a host for webhooks": { target: "/api/probe", host: HOOK_HOST },
  "403: origin": {
    ...postJson("/api/probe", "{}", ["Origin", "http://evil.example"]),
    isPaired,
  },
  "403: site": {
    target: "/api/probe",
    headers: [["Sec-Fetch-Site", "cross-site"]],
    isPaired,
  },
  "404: unknown path": { target: "/api/unknown", isPaired },
  "404: two slashes": { target: "//api/probe", isPaired },
  "404: unknown id": {
    ...postJson("/api/probe/unknown", "{}"),
    method: "DELETE",
    isPaired,
  },
  "405: method": { method: "PUT", target: "/api/probe", isPaired },
  "405: OPTIONS": { method: "OPTIONS", target: "/api/probe", isPaired },
  "405: HEAD": { method: "HEAD", target: "/api/probe/bytes", isPaired },
  "409: idempotency key of another request": {
    ...postJson("/api/probe/once", '{"n":2}', ["Idempotency-Key", "key"]),
    isPaired,
  },
  "413: body": {
    method: "PUT",
    target: "/api/probe/bytes",
    headers: [["Content-Length", "100000"]],
    isPaired,
  },
  "414: target": { target: `/api/probe?${"x".repeat(8192)}`, isPaired },
  "415: media type": {
    ...post("/api/probe", "{}", ["Content-Type", "text/plain"]),
    isPaired,
  },
  "415: encoding": {
    ...postJson("/api/probe", "{}", ["Content-Encoding", "gzip"]),
    isPaired,
  },
  "429: error of a plugin": { target: "/api/probe/busy", isPaired },
  "431: headers": {
    target: "/api/probe",
    headers: Array.from({ length: 100 }, (_, n) => [`x-${n}`, "1"] as const),
  },
  "431: a long header": {
    target: "/api/probe",
    headers: [["X-Long", "x".repeat(17_000)]],
  },
  "500: fault of a plugin": { target: "/api/probe/fault", isPaired },
  "503: plugin that did not start": { target: "/api/broken", isPaired },
};

const upgrades = ({ origin }: GatedKernel): Record<string, WireRequest> => {
  const headers = upgrade(["Origin", origin]);
  const target = "/api/probe/socket";
  return {
    "101: socket": { target, headers, isPaired },
    "400: no handshake of a socket": {
      target,
      headers: headers.filter(([name]) => !name.endsWith("Key")),
      isPaired,
    },
    "401: socket, no session": { target, headers },
    "401: unknown socket, no session": { target: "/api/unknown", headers },
    "403: socket, origin": {
      target,
      headers: upgrade(["Origin", "http://evil.example"]),
      isPaired,
    },
    "404: unknown socket": { target: "/api/unknown", headers, isPaired },
    "404: operation, as a socket": {
      target: "/api/probe",
      headers,
      isPaired,
    },
    "503: socket of a plugin that did not start": {
      target: "/api/broken",
      headers,
      isPaired,
    },
  };
};

/** Requests with a value that only this kernel knows. */
const prepared = async ({
  kernel,
  send,
}: GatedKernel): Promise<Record<string, WireRequest>> => ({
  "200: pairing": postJson(
    "/pair",
    JSON.stringify({ code: kernel.pair().code, device: "Wire" }),
  ),
  "304: file": {
    target: "/favicon.svg",
    headers: [
      [
        "If-None-Match",
        (await send({ target: "/favicon.svg" })).header("etag") ?? "",
      ],
    ],
  },
});

test("each kind of answer is the same byte for byte; `vitest -u` writes them again", async () => {
  const broken = createProbe({
    id: "broken",
    setup: () => {
      throw new Error("broken on purpose");
    },
  });
  await using kernel = await startGated({}, [broken]);
  addAnswers(kernel.ctx);
  kernel.expectFault(/on purpose/);
  const kinds = {
    ...ANSWERS,
    ...PAGES,
    ...REFUSALS,
    ...upgrades(kernel),
    ...(await prepared(kernel)),
  };
  const answers: string[] = [];
  for (const [kind, request] of Object.entries(kinds)) {
    const host = request.host?.replace("<port>", String(kernel.port));
    const sent = host === undefined ? request : { ...request, host };
    answers.push(`=== ${kind}\n${await recordAnswer(kernel, sent)}`);
  }
  await expect(`${answers.join("\n\n")}\n`).toMatchFileSnapshot(
    "wire.snapshot.txt",
  );
});
