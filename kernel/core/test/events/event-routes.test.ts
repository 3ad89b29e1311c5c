import { expect, test, vi } from "vitest";
import { defineEvent } from "@gantry/plugin";
import type { EventRecord } from "@gantry/plugin";
import { readEventStream } from "../../../testing/src/index.ts";
import type { ReadMessage, StreamReader } from "../../../testing/src/index.ts";
import { startProbe } from "../support/probe.ts";
import type { ProbedKernel } from "../support/probe.ts";
import { openRaw, renderRequest } from "../support/raw-http.ts";

const Happened = defineEvent<{ n: number; text?: string }>(
  "probe.happened",
  "It happened.",
);
const Other = defineEvent<object>("probe.other-happened", "Another did.");
const events = [Happened, Other];

const ONLY_OURS = "types=probe.*";

async function follow(
  kernel: ProbedKernel,
  query = ONLY_OURS,
  lastEventId?: string,
): Promise<StreamReader> {
  const headers = lastEventId ? { "last-event-id": lastEventId } : undefined;
  return readEventStream(
    await kernel.api.open(`/api/events?${query}`, { headers }),
  );
}

async function emit(kernel: ProbedKernel, ...numbers: number[]) {
  await kernel.ctx.emit(...numbers.map((n) => Happened.of(String(n), { n })));
}

const numberOf = (message: ReadMessage | undefined) =>
  (message?.data as EventRecord<{ n: number }> | undefined)?.data.n;

test("it begins with a greeting, then tells each event whole", async () => {
  await using kernel = await startProbe({ events });
  const response = await kernel.api.open(`/api/events?${ONLY_OURS}`);
  expect(response.headers.get("content-type")).toBe(
    "text/event-stream; charset=utf-8",
  );
  expect(response.headers.get("cache-control")).toBe("no-store");
  const stream = readEventStream(response);
  const latest = kernel.kernel.foundation.core.latestEventId();
  expect(await stream.next()).toEqual({
    id: undefined,
    event: "hello",
    data: { bootId: expect.any(String) as string, latest },
  });
  await emit(kernel, 1);
  expect(await stream.next()).toEqual({
    id: String(latest + 1),
    event: "probe.happened",
    data: {
      id: latest + 1,
      at: "2026-03-02T12:00:00.000Z",
      type: "probe.happened",
      plugin: "probe",
      subject: "1",
      data: { n: 1 },
    },
  });
  await stream.close();
});

test("cut off behind any event and resumed, a client sees each event once and none is missing", async () => {
  await using kernel = await startProbe({ events });
  const script = Array.from({ length: 24 }, (_, n) => n + 1);
  const before = kernel.kernel.foundation.core.latestEventId();
  const write = async () => {
    for (let n = 0; n < script.length; n += 3)
      await emit(kernel, ...script.slice(n, n + 3));
  };
  const writing = write();
  for (let cut = 0; cut <= script.length; cut++) {
    const seen: (number | undefined)[] = [];
    const first = await follow(kernel, `${ONLY_OURS}&after=${before}`);
    expect(await first.next()).toMatchObject({ event: "hello" });
    let last = String(before);
    while (seen.length < cut) {
      const message = await first.next();
      seen.push(numberOf(message));
      last = message?.id ?? last;
    }
    await first.close();
    const second = await follow(kernel, ONLY_OURS, last);
    expect(await second.next()).toMatchObject({ event: "hello" });
    while (seen.length < script.length)
      seen.push(numberOf(await second.next()));
    await second.close();
    expect(seen, `cut behind ${cut}`).toEqual(script);
  }
  await writing;
});

test("a browser that comes back tells its own place, which wins over that in the address", async () => {
  await using kernel = await startProbe({ events });
  const before = kernel.kernel.foundation.core.latestEventId();
  await emit(kernel, 1, 2, 3);
  const query = `${ONLY_OURS}&after=${before}`;
  const stream = await follow(kernel, query, String(before + 2));
  expect(await stream.next()).toMatchObject({ event: "hello" });
  expect(numberOf(await stream.next())).toBe(3);
  await stream.close();
});

test("a place that the log does not have gets a reset, and then what is new", async () => {
  await using kernel = await startProbe({ events });
  await emit(kernel, 1, 2);
  const { core, eventLog } = kernel.kernel.foundation;
  const latest = core.latestEventId();
  kernel.clock.jumpWall(kernel.clock.now() + 8 * 24 * 60 * 60 * 1000);
  await eventLog.prune();
  expect(await eventLog.holds(latest - 2)).toBe(false);
  expect(await eventLog.holds(latest - 1)).toBe(true);
  const places = ["1", "0", String(latest + 99), "999999999999999", "x", "-1"];
  for (const place of places) {
    const stream = await follow(kernel, ONLY_OURS, place);
    expect(await stream.next()).toMatchObject({ event: "hello" });
    expect(await stream.next(), place).toMatchObject({
      event: "reset",
      data: { latest: core.latestEventId() },
    });
    await emit(kernel, 3);
    expect(numberOf(await stream.next())).toBe(3);
    await stream.close();
  }
});

test("a filter narrows to types and to areas", async () => {
  await using kernel = await startProbe({ events });
  const both = await follow(kernel, "types=probe.*");
  const one = await follow(kernel, "types=nothing.*,probe.other-happened");
  await kernel.ctx.emit(Happened.of("1", { n: 1 }), Other.of("2", {}));
  expect(await both.next()).toMatchObject({ event: "hello" });
  expect(await both.next()).toMatchObject({ event: Happened.type });
  expect(await both.next()).toMatchObject({ event: Other.type });
  expect(await one.next()).toMatchObject({ event: "hello" });
  expect(await one.next()).toMatchObject({ event: Other.type });
  await Promise.all([both.close(), one.close()]);
});

test("a query that does not fit is refused", async () => {
  await using kernel = await startProbe({ events });
  const bad = [
    "types=A",
    "types=",
    "types=a,,b",
    "after=-1",
    "after=x",
    "after=1.5",
    "after=1&after=2",
    "more=1",
  ];
  for (const query of bad) {
    expect(await kernel.api.get(`/api/events?${query}`), query).toMatchObject({
      status: 400,
      body: { code: "INPUT_INVALID" },
    });
  }
  const long = await kernel.api.open("/api/events", {
    headers: { "last-event-id": "9".repeat(40) },
  });
  expect(long.status).toBe(400);
});

test("a client that does not read is dropped, and costs the others nothing", async () => {
  await using kernel = await startProbe({ events });
  const reader = await follow(kernel);
  await reader.next();
  await openIdleClient(kernel, ONLY_OURS);
  await vi.waitFor(() => expect(kernel.kernel.http.connections.size).toBe(2));
  const reading = readNumbers(reader, 200);
  await flood(kernel, 200);
  expect(await reading).toEqual(countTo(200));
  await vi.waitFor(() => expect(kernel.kernel.http.connections.size).toBe(1));
  await reader.close();
});

test("very many clients each get all that happens in order, also who comes or leaves in between", async () => {
  await using kernel = await startProbe({ events });
  // More than something is sent to at once.
  const streams = await Promise.all(
    Array.from({ length: 230 }, () => follow(kernel)),
  );
  await Promise.all(streams.map((stream) => stream.next()));
  const leaving = streams.splice(50, 60);
  const reading = streams.map((stream) => readNumbers(stream, 12));
  await emit(kernel, 1, 2, 3);
  const late = await follow(kernel);
  await late.next();
  for (const [n, stream] of leaving.entries()) {
    await stream.close();
    if (n % 10 === 0) await emit(kernel, 4 + n / 10);
  }
  await emit(kernel, 10, 11, 12);
  expect(await Promise.all(reading)).toEqual(streams.map(() => countTo(12)));
  expect(await readNumbers(late, 9)).toEqual(countTo(12).slice(3));
  await Promise.all([late, ...streams].map((stream) => stream.close()));
});

test("a client that reads is never dropped, however much it has missed", async () => {
  await using kernel = await startProbe({ events });
  await flood(kernel, 100);
  const stream = await follow(kernel, `${ONLY_OURS}&after=1`);
  await stream.next();
  const reading = readNumbers(stream, 150);
  await flood(kernel, 50, 100);
  expect(await reading).toEqual(countTo(150));
  await stream.close();
});

test("for a client that does not read while it catches up nothing is held, and nothing is lost", async () => {
  await using kernel = await startProbe({ events });
  await flood(kernel, 60);
  const idle = await openIdleClient(kernel, `${ONLY_OURS}&after=1`);
  await vi.waitFor(() => expect(kernel.kernel.http.connections.size).toBe(1));
  await flood(kernel, 40, 60);
  expect(kernel.kernel.http.connections.size).toBe(1);
  idle.socket.resume();
  await vi.waitFor(() => {
    const ids = [...idle.rest().matchAll(/"data":\{"n":(\d+)/g)];
    expect(ids.map(([, n]) => Number(n))).toEqual(countTo(100));
  });
});

test("a quiet stream carries a comment every 15 s", async () => {
  await using kernel = await startProbe({ events });
  const connection = await openIdleClient(kernel, ONLY_OURS);
  connection.socket.resume();
  await vi.waitFor(() => expect(connection.rest()).toContain("event: hello"));
  expect(connection.rest()).not.toMatch(/^:$/m);
  for (let beats = 1; beats <= 3; beats++) {
    await kernel.clock.advance(15_000);
    await vi.waitFor(() =>
      expect(connection.rest().match(/^:$/gm)).toHaveLength(beats),
    );
  }
});

test("at a clean stop the stream says goodbye and ends", async () => {
  const kernel = await startProbe({ events });
  const stream = await follow(kernel);
  await stream.next();
  const stopped = kernel.stop();
  expect(await stream.next()).toMatchObject({ event: "bye" });
  expect(await stream.next()).toBeUndefined();
  await stopped;
});

test("the log is a list, oldest first, with the same filter", async () => {
  await using kernel = await startProbe({ events });
  const after = kernel.kernel.foundation.core.latestEventId();
  await emit(kernel, 1, 2, 3, 4, 5);
  await kernel.ctx.emit(Other.of("x", {}));
  interface LogPage {
    items: EventRecord<{ n: number }>[];
    nextCursor: string | null;
    latest: number;
  }
  const read = async (query: object) =>
    (await kernel.api.get<LogPage>("/api/events/log", { ...query })).body;
  const first = await read({ after, limit: 4 });
  expect(first.items.map(({ data }) => data.n)).toEqual([1, 2, 3, 4]);
  expect(first).toMatchObject({
    nextCursor: String(after + 4),
    latest: after + 6,
  });
  const second = await read({ after: first.nextCursor, limit: 4 });
  expect(second.items.map(({ type }) => type)).toEqual([
    Happened.type,
    Other.type,
  ]);
  expect(second.nextCursor).toBeNull();
  const narrow = await read({ after, types: Other.type });
  expect(narrow.items).toHaveLength(1);
});

/** Asks for the stream and never reads what comes. */
async function openIdleClient(kernel: ProbedKernel, query: string) {
  const { cookie } = await kernel.pairAs("Idle");
  const connection = await openRaw(kernel.kernel.port);
  connection.socket.pause();
  const host = `127.0.0.1:${kernel.kernel.port}`;
  const headers = [
    ["host", host],
    ["cookie", cookie],
  ] as const;
  connection.write(renderRequest({ target: `/api/events?${query}`, headers }));
  return connection;
}

/** Far more than a socket's own buffers hold: 40 kB an event. */
async function flood(kernel: ProbedKernel, count: number, first = 0) {
  const text = "x".repeat(40_000);
  for (let n = first + 1; n <= first + count; n++)
    await kernel.ctx.emit(Happened.of(String(n), { n, text }));
}

async function readNumbers(stream: StreamReader, count: number) {
  const numbers: (number | undefined)[] = [];
  while (numbers.length < count) numbers.push(numberOf(await stream.next()));
  return numbers;
}

const countTo = (last: number) => Array.from({ length: last }, (_, n) => n + 1);
