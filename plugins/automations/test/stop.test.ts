import { expect, test } from "vitest";
import type { Bench } from "./support/start.ts";
import { startBench } from "./support/start.ts";

const stop = (bench: Bench, id: string) =>
  bench.kernel.api.post<{ stopped: boolean }>(`/api/automations/${id}/stop`);

test("a run that is going is ended, as cancelled", async () => {
  await using bench = await startBench();
  const { id } = await bench.create();
  await bench.runNow(id);
  const run = await bench.agents.started(0);
  expect((await stop(bench, id)).body).toEqual({ stopped: true });
  expect(run.signal.aborted).toBe(true);
  expect(await bench.ended(id, 1)).toMatchObject([
    { result: "failed", reason: "cancelled" },
  ]);
  expect((await stop(bench, id)).body).toEqual({ stopped: false });
});

test("an answer that comes after the stop is kept, and does not make it done", async () => {
  await using bench = await startBench();
  bench.agents.deaf = true;
  const { id } = await bench.create();
  await bench.runNow(id);
  const run = await bench.agents.started(0);
  expect((await stop(bench, id)).body).toEqual({ stopped: true });
  run.finish({ message: "Just in time?" });
  expect(await bench.ended(id, 1)).toMatchObject([
    { result: "failed", reason: "cancelled", message: "Just in time?" },
  ]);
});

test("one that waits for a free place never begins, and the others go on", async () => {
  await using bench = await startBench({
    settings: { limits: { concurrentRuns: 1 } },
  });
  const first = await bench.create();
  const second = await bench.create();
  await bench.runNow(first.id);
  await bench.runNow(second.id);
  await bench.agents.started(0);
  expect((await stop(bench, second.id)).body).toEqual({ stopped: true });
  expect(await bench.ended(second.id, 1)).toMatchObject([
    { result: "failed", reason: "cancelled", startedAt: null },
  ]);
  bench.agents.runs[0]!.finish();
  expect(await bench.ended(first.id, 1)).toMatchObject([{ result: "done" }]);
  expect(bench.agents.runs).toHaveLength(1);
});

test("an automation that is unknown is 404", async () => {
  await using bench = await startBench();
  const { status } = await stop(bench, `aut_${"a".repeat(24)}`);
  expect(status).toBe(404);
});
