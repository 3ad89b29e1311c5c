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

test("a run stopped while queued never begins, and the others continue", async () => {
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

test("an agent that does not end after a stop gives its place back all the same", async () => {
  await using bench = await startBench({
    settings: { limits: { concurrentRuns: 1 } },
  });
  bench.agents.deaf = true;
  const first = await bench.create();
  const second = await bench.create();
  await bench.runNow(first.id);
  await bench.runNow(second.id);
  const deaf = await bench.agents.started(0);
  expect((await stop(bench, first.id)).body).toEqual({ stopped: true });
  expect(deaf.signal.aborted).toBe(true);
  await bench.kernel.clock.advance(59_000);
  expect(bench.agents.runs).toHaveLength(1);
  await bench.kernel.clock.advance(1_000);
  expect(await bench.ended(first.id, 1)).toMatchObject([
    { result: "failed", reason: "cancelled" },
  ]);
  (await bench.agents.started(1)).finish();
  expect(await bench.ended(second.id, 1)).toMatchObject([{ result: "done" }]);
  // What it says after all changes nothing.
  deaf.finish({ message: "Too late." });
  await bench.kernel.clock.advance(1_000);
  expect((await bench.runs(first.id))[0]!.message).not.toContain("Too late.");
});

test("an agent that does not end does not hold up the stop of the daemon", async () => {
  await using bench = await startBench();
  bench.agents.deaf = true;
  const { id } = await bench.create();
  await bench.runNow(id);
  await bench.agents.started(0);
  const restarted = bench.kernel.restart();
  await bench.kernel.clock.advance(3_000);
  await restarted;
  expect((await bench.runs(id))[0]).toMatchObject({
    result: "failed",
    reason: "daemon-restarted",
  });
});

test("an automation that is unknown is 404", async () => {
  await using bench = await startBench();
  const { status } = await stop(bench, `aut_${"a".repeat(24)}`);
  expect(status).toBe(404);
});
