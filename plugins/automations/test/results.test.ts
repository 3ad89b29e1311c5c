import { expect, test } from "vitest";
import { startBench } from "./support/start.ts";
import type { Bench } from "./support/start.ts";

interface Figures {
  done: number;
  failed: number;
  skipped: number;
  reasons: { result: string; reason: string | null; runs: number }[];
}

interface Results {
  items: (Figures & { key: string })[];
  total: Figures;
  since: string | null;
}

const results = async (bench: Bench, query: Record<string, string> = {}) =>
  (await bench.kernel.api.get<Results>("/api/automations/results", query)).body;

/** One run that is skipped for being busy, and one that ends as `outcome` says. */
async function runTwice(bench: Bench, id: string, index: number, ends: object) {
  await bench.runNow(id);
  const run = await bench.agents.started(index);
  await bench.runNow(id);
  run.finish(ends);
  await bench.finished((index + 1) * 2);
}

test("runs are counted by the day and hour on which they ended, with why they did not work", async () => {
  await using bench = await startBench({ startAt: "2026-03-01T23:40:00.000Z" });
  expect(await results(bench)).toMatchObject({ items: [], since: null });
  const { id } = await bench.create();
  await runTwice(bench, id, 0, {});
  await bench.kernel.clock.advance(60 * 60_000);
  await runTwice(bench, id, 1, { failure: "agent-error" });

  const busy = { result: "skipped", reason: "busy" };
  const failed = { result: "failed", reason: "agent-error", runs: 1 };
  const { items, total, since } = await results(bench);
  expect(items).toEqual([
    {
      ...{ key: "2026-03-02", done: 0, failed: 1, skipped: 1 },
      reasons: expect.arrayContaining([failed, { ...busy, runs: 1 }]),
    },
    {
      ...{ key: "2026-03-01", done: 1, failed: 0, skipped: 1 },
      reasons: [{ ...busy, runs: 1 }],
    },
  ]);
  expect(total).toMatchObject({ done: 1, failed: 1, skipped: 2 });
  expect(total.reasons).toEqual([{ ...busy, runs: 2 }, failed]);
  expect(since).toBe("2026-03-01");

  const kathmandu = await results(bench, {
    ...{ from: "2026-03-02", to: "2026-03-02" },
    ...{ by: "hour", timeZone: "Asia/Kathmandu" },
  });
  expect(kathmandu.items.map(({ key }) => key)).toEqual([
    "2026-03-02T06",
    "2026-03-02T05",
  ]);
});

test("by the hour, two weeks are listed by default", async () => {
  await using bench = await startBench();
  expect(await results(bench, { by: "hour" })).toMatchObject({
    ...{ from: "2026-02-17", to: "2026-03-02" },
  });
  expect(await results(bench)).toMatchObject({
    ...{ from: "2026-02-01", to: "2026-03-02" },
  });
});

test("runs stay counted when they are forgotten and when their automation is deleted", async () => {
  await using bench = await startBench({
    settings: { limits: { runsKept: 1 } },
  });
  const { id } = await bench.create();
  await runTwice(bench, id, 0, {});
  await runTwice(bench, id, 1, {});
  expect((await bench.runs(id)).length).toBeLessThan(4);
  await bench.kernel.api.delete(`/api/automations/${id}`);
  await bench.kernel.restart();
  expect((await results(bench)).total).toMatchObject({ done: 2, skipped: 2 });
});

test.each([
  [{ from: "2026-03-02", to: "2026-03-01" }],
  [{ from: "2020-01-01", to: "2026-03-01" }],
  [{ from: "2026-02-01", to: "2026-03-01", by: "hour" }],
  [{ by: "agent" }],
  [{ timeZone: "Middle/Earth" }],
])("%j is 400", async (query: Record<string, string>) => {
  await using bench = await startBench();
  const { status } = await bench.kernel.api.get(
    "/api/automations/results",
    query,
  );
  expect(status).toBe(400);
});

test("figures that no range can ask for any more are removed", async () => {
  await using bench = await startBench({ startAt: "2026-03-01T12:00:00.000Z" });
  const { kernel } = bench;
  const { id } = await bench.create();
  await runTwice(bench, id, 0, {});
  const keys = () =>
    kernel.kernel.foundation.core.engine.keys("automations:run-sum:");
  expect(await keys()).toHaveLength(1);
  await kernel.kernel.stop();
  await kernel.clock.advanceTo("2028-03-01T12:00:00.000Z");
  await kernel.restart();
  expect(await keys()).toHaveLength(1);
  await kernel.kernel.stop();
  await kernel.clock.advanceTo("2028-03-06T12:00:00.000Z");
  await kernel.restart();
  await expect.poll(keys).toEqual([]);
});
