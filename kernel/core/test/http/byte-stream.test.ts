import { PassThrough, Readable } from "node:stream";
import { expect, test, vi } from "vitest";
import { bytes, defineRoute } from "@gantry/plugin";
import type { BytesAnswer } from "@gantry/plugin";
import { startProbe } from "../support/probe.ts";

const startWith = (handle: () => BytesAnswer) =>
  startProbe({
    setup: (ctx) =>
      void ctx.route(
        defineRoute({
          method: "GET",
          path: "/api/probe",
          summary: "A stream",
          access: "session",
          returns: "bytes",
          handle,
        }),
      ),
  });

test("a stream goes out as it is read, with its length, and as a part if it is one", async () => {
  await using kernel = await startWith(() =>
    bytes(
      "video/mp4",
      {
        length: 6,
        stream: Readable.from([Buffer.from("abc"), Buffer.from("def")]),
      },
      { "content-range": "bytes 2-7/9" },
      206,
    ),
  );
  const answer = await kernel.api.open("/api/probe");
  expect(answer.status).toBe(206);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    "content-length": "6",
    "content-range": "bytes 2-7/9",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
  expect(await answer.text()).toBe("abcdef");
});

test.each([
  ["fewer", "abc"],
  ["more", "abcdefghi"],
])("%s bytes than were said cut the connection", async (_, text) => {
  await using kernel = await startWith(() =>
    bytes("text/plain", {
      length: 6,
      stream: Readable.from([Buffer.from(text)]),
    }),
  );
  const read = kernel.api.open("/api/probe").then((answer) => answer.text());
  await expect(read).rejects.toThrow();
});

test("HEAD reads nothing of it, and a client that leaves ends it", async () => {
  const streams: PassThrough[] = [];
  await using kernel = await startWith(() => {
    const stream = new PassThrough();
    streams.push(stream);
    return bytes("text/plain", { length: 1e9, stream });
  });
  const head = await kernel.api.open("/api/probe", { method: "HEAD" });
  expect(head.headers.get("content-length")).toBe("1000000000");
  await vi.waitFor(() => expect(streams[0]?.destroyed).toBe(true));

  const leaving = new AbortController();
  const answer = await kernel.api.open("/api/probe", {
    signal: leaving.signal,
  });
  streams[1]?.write("x");
  await answer.body?.getReader().read();
  leaving.abort();
  await vi.waitFor(() => expect(streams[1]?.destroyed).toBe(true));
});
