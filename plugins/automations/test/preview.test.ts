import { expect, test } from "vitest";
import { daily, startBench } from "./support/start.ts";

interface Reading {
  next: string[];
  offsetMs: number | null;
  largestOffsetMs: number | null;
  errors: { path: string; message: string }[];
}

async function start() {
  const bench = await startBench();
  const preview = async (...schedules: unknown[]) => {
    const { status, body } = await bench.kernel.api.post<{ items: Reading[] }>(
      "/api/automations/preview",
      { schedules },
    );
    return { status, items: body.items };
  };
  return { bench, preview, [Symbol.asyncDispose]: () => bench.kernel.stop() };
}

test("a schedule is read as the next five times at which it would fire", async () => {
  await using set = await start();
  const { items } = await set.preview(
    daily("09:00", { timeZone: "America/New_York", frequency: "weekdays" }),
    { frequency: "custom", cron: "0 0 29 2 *", timeZone: "UTC" },
  );
  expect(items[0]).toEqual({
    next: [
      "2026-03-02T14:00:00.000Z",
      "2026-03-03T14:00:00.000Z",
      "2026-03-04T14:00:00.000Z",
      "2026-03-05T14:00:00.000Z",
      "2026-03-06T14:00:00.000Z",
    ],
    offsetMs: null,
    largestOffsetMs: 300_000,
    errors: [],
  });
  expect(items[1]!.next[0]).toBe("2028-02-29T00:00:00.000Z");
});

test("a schedule that is saved is read with its offset", async () => {
  await using set = await start();
  const { schedules } = await set.bench.create({ schedules: [daily("12:00")] });
  await set.bench.kernel.clock.advance(1);
  const { items } = await set.preview(schedules[0]);
  const { offsetMs, next } = items[0]!;
  expect(offsetMs).toBe(schedules[0]!.offsetMs);
  // Its slot of today has passed, and its time of today has not.
  expect(next[0]).toBe(
    new Date(Date.parse("2026-03-02T12:00:00Z") + offsetMs!).toISOString(),
  );
});

test("what is wrong with one is said for that one, and the others are read", async () => {
  await using set = await start();
  const { status, items } = await set.preview(
    daily("09:00"),
    daily("25:00"),
    { frequency: "custom", cron: "@daily", timeZone: "UTC", at: 1 },
    { frequency: "custom", cron: "0 9 * * *", timeZone: "UTC" },
    {},
  );
  expect(status).toBe(200);
  expect(items.map(({ errors }) => errors.map(({ path }) => path))).toEqual([
    [],
    ["time"],
    ["at", "cron"],
    [""],
    expect.arrayContaining(["frequency", "timeZone"]),
  ]);
  expect(items[3]!.errors[0]!.message).toBe(
    "fires at the same times as schedule 1",
  );
  expect(items[1]).toMatchObject({
    next: [],
    offsetMs: null,
    largestOffsetMs: null,
  });
});

test("twins are named by their place in the list, whatever stands between", async () => {
  await using set = await start();
  const { items } = await set.preview(
    daily("25:00"),
    daily("09:00"),
    daily("09:00"),
  );
  expect(items[2]!.errors[0]!.message).toBe(
    "fires at the same times as schedule 2",
  );
});

test("it stores nothing, and takes no more than twenty", async () => {
  await using set = await start();
  await set.preview(daily("09:00"));
  const { body } = await set.bench.kernel.api.get<{ items: object[] }>(
    "/api/automations",
  );
  expect(body.items).toEqual([]);
  expect((await set.preview(...Array(21).fill(daily("09:00")))).status).toBe(
    400,
  );
  expect((await set.preview("x")).status).toBe(400);
});
