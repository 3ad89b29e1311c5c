import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingHttpHeaders, RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { createAnswerReader } from "../src/measure/answer-reader.ts";
import { loadFromWorker } from "../src/measure/keep-alive-load.ts";

/** A server that counts what comes. */
async function serve(answer: RequestListener) {
  const seen = { requests: 0, connections: 0, headers: {} };
  const server = createServer((request, response) => {
    seen.requests += 1;
    seen.headers = request.headers;
    answer(request, response);
  });
  server.on("connection", () => (seen.connections += 1));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/small?x=1`,
    seen: seen as typeof seen & { headers: IncomingHttpHeaders },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const load = { connections: 3, seconds: 0.2 };
const { signal } = new AbortController();

test.each<[string, RequestListener]>([
  ["with a length", (_, response) => response.end('{"ok":true}')],
  [
    "in chunks",
    (_, response) => {
      response.write('{"ok":');
      setImmediate(() => response.end("true}"));
    },
  ],
])(
  "each answer %s is counted, on connections that are kept",
  async (_, answer) => {
    await using server = await serve(answer);
    const { url } = server;
    const headers = { cookie: "a=b" };
    const result = await loadFromWorker({ ...load, url, headers }, signal);
    expect(result.count).toBe(server.seen.requests);
    expect(result.count).toBeGreaterThan(load.connections);
    expect(server.seen.connections).toBe(load.connections);
    expect(server.seen.headers).toMatchObject({
      cookie: "a=b",
      host: new URL(url).host,
    });
    expect(result.perSecond).toBeGreaterThan(0);
    expect(result.p99).toBeGreaterThan(0);
  },
);

test("an answer that is no 200 fails the measurement", async () => {
  await using server = await serve((_, response) =>
    response.writeHead(401).end(),
  );
  await expect(
    loadFromWorker({ ...load, url: server.url }, signal),
  ).rejects.toThrow("An answer was no 200: HTTP/1.1 401");
});

test("a connection that the server closes fails the measurement", async () => {
  await using server = await serve(({ socket }) => socket.destroy());
  await expect(
    loadFromWorker({ ...load, url: server.url }, signal),
  ).rejects.toThrow(/closed a connection|ECONNRESET/);
});

test("an interrupt ends the process", async () => {
  const interrupted = new AbortController();
  const reason = new Error("enough");
  await using server = await serve((_, response) => {
    interrupted.abort(reason);
    response.end();
  });
  await expect(
    loadFromWorker(
      { ...load, url: server.url, seconds: 60 },
      interrupted.signal,
    ),
  ).rejects.toBe(reason);
});

test("answers are found however their bytes are cut", () => {
  const answers = [
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
  ];
  for (const size of [1, 7, 1000]) {
    const reader = createAnswerReader();
    for (const answer of answers) {
      const bytes = Buffer.from(answer);
      for (let at = 0; at < bytes.length; at += size)
        expect(reader.add(bytes.subarray(at, at + size))).toBe(
          at + size >= bytes.length,
        );
    }
  }
});

test("an answer without a length is refused", () => {
  const reader = createAnswerReader();
  expect(() => reader.add(Buffer.from("HTTP/1.1 200 OK\r\n\r\n"))).toThrow(
    "neither a length nor chunks",
  );
});
