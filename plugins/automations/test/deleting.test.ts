import { expect, test } from "vitest";
import { AutomationDeleted, RunFinished } from "../src/contract.ts";
import { nothingOf } from "./support/nothing-of.ts";
import { daily, startBench } from "./support/start.ts";

test("deleting removes the automation and its runs, ends the run that is going, and keeps the agent", async () => {
  await using bench = await startBench();
  bench.agents.answer = () => ({});
  const kept = await bench.create({ limits: { maxRunsPerWeek: 500 } });
  const { id, agentId } = await bench.create({
    limits: { maxRunsPerWeek: 500 },
  });
  for (let count = 1; count <= 130; count++) {
    await bench.runNow(id);
    await bench.finished(count);
  }
  await bench.runNow(kept.id);
  await bench.finished(131);
  bench.agents.answer = undefined;
  await bench.runNow(id);
  const going = await bench.agents.started(131);
  const path = `/api/automations/${id}`;
  expect(await bench.kernel.api.delete(path)).toMatchObject({
    status: 200,
    body: { ok: true },
  });
  expect(going.signal.aborted).toBe(true);
  expect(bench.kernel.events.all(AutomationDeleted)).toMatchObject([
    { subject: id, data: { name: "Morning brief", agentId } },
  ]);
  expect((await bench.kernel.api.get(path)).status).toBe(404);
  expect((await bench.kernel.api.get(`${path}/runs`)).status).toBe(404);
  await nothingOf(bench.kernel, id);
  expect(await bench.runs(kept.id)).toHaveLength(1);
});

test("a removal that a crash interrupts is finished at the next start", async () => {
  await using bench = await startBench();
  bench.agents.answer = () => ({});
  const { id } = await bench.create();
  for (let count = 1; count <= 3; count++) {
    await bench.runNow(id);
    await bench.finished(count);
  }
  const { engine } = bench.kernel.kernel.foundation.core;
  const rows = await engine.scan(rangeOf("automations:run", 1000));
  await bench.kernel.api.delete(`/api/automations/${id}`);
  await nothingOf(bench.kernel, id);
  // What the store held just after the automation was gone and before its runs were.
  await engine.commit([
    ...rows.map(({ key, value }) => ({ type: "set", key, value }) as const),
    { type: "set", key: `automations:deleting:${id}`, value: {} },
  ]);
  await bench.kernel.restart();
  await nothingOf(bench.kernel, id);
});

test("deleting while its run waits for a place: the run never begins, and the place is free for others", async () => {
  await using bench = await startBench({
    settings: { limits: { concurrentRuns: 1 } },
  });
  const first = await bench.create({ name: "First" });
  const second = await bench.create({ name: "Second" });
  const third = await bench.create({ name: "Third" });
  for (const { id } of [first, second, third]) await bench.runNow(id);
  await bench.kernel.api.delete(`/api/automations/${second.id}`);
  await nothingOf(bench.kernel, second.id);
  (await bench.agents.started(0)).finish();
  const next = await bench.agents.started(1);
  expect(next.input.agentId).toBe(third.agentId);
  next.finish();
  await bench.finished(2);
  expect(
    bench.kernel.events.all(RunFinished).map(({ subject }) => subject),
  ).toEqual([first.id, third.id]);
  expect(await bench.runNow(first.id)).toMatchObject({
    decision: [{}, {}, {}, {}, {}, { figures: { runsAtWork: 0 } }],
  });
});

test(
  "deleting while a schedule fires and a run is requested leaves nothing, in any order",
  { tags: "thorough" },
  async () => {
    await using bench = await startBench();
    bench.agents.answer = () => ({});
    const { clock, api } = bench.kernel;
    for (let round = 0; round < 5; round++) {
      const { id, nextRunAt } = await bench.create({
        schedules: [daily(`1${3 + round}:00`)],
      });
      await clock.advanceTo(Date.parse(nextRunAt!) - 1);
      const path = `/api/automations/${id}`;
      const [ran, deleted] = await Promise.all([
        api.post(`${path}/run`),
        api.delete(path),
        api.post(`${path}/run`),
        clock.advance(1),
      ]);
      expect([200, 404]).toContain(ran.status);
      expect(deleted.status).toBe(200);
      await nothingOf(bench.kernel, id);
    }
    await clock.advance(48 * 3_600_000);
    const { body } = await api.get<{ items: object[] }>("/api/automations");
    expect(body.items).toEqual([]);
  },
);

function rangeOf(prefix: string, limit: number) {
  return { from: prefix, to: `${prefix}\u{10FFFF}`, limit, reverse: false };
}
