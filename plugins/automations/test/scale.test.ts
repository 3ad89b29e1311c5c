import { expect, test } from "vitest";
import { cpuCostOf } from "@gantry/build/testing";
import { RunFinished } from "../src/contract.ts";
import { multiply } from "./support/multiply.ts";
import { daily, startBench } from "./support/start.ts";

const COUNT = 3_000;
const DAY = 24 * 3_600_000;

test("thousands of automations with schedules and runs: starting and listing take no longer than they may", async () => {
  await using bench = await startBench();
  bench.agents.answer = () => ({});
  // The newest are loaded first, so that this one is not loaded yet when the daemon answers.
  const { automation: hook, secret } = await bench.createHook();
  await bench.kernel.clock.advance(1_000);
  const { id, schedules } = await bench.create({
    schedules: [
      daily("13:00"),
      daily("14:00", { timeZone: "America/New_York" }),
      daily("15:00", { enabled: false }),
    ],
  });
  const runIds: string[] = [];
  for (let count = 1; count <= 5; count++) {
    runIds.push((await bench.runNow(id)).id);
    await bench.ended(id, count);
  }
  await multiply(
    bench,
    [id, ...schedules.map((one) => one.id), ...runIds],
    COUNT,
  );

  await bench.kernel.kernel.stop();
  await bench.kernel.clock.advance(3 * DAY);
  expect(await cpuCostOf(() => bench.kernel.restart())).toBeLessThan(5_000);
  const { api, clock } = bench.kernel;
  // A call that arrives while automations are loaded waits for them.
  expect(await bench.fire(hook.id, secret)).toMatchObject({ status: 200 });
  const list = () =>
    api.get<{ items: { nextRunAt: string }[] }>("/api/automations", {
      limit: 50,
    });
  expect((await list()).body.items).toHaveLength(50);
  const cost = await cpuCostOf(async () => {
    for (let count = 0; count < 5; count++) await list();
  });
  expect(cost / 5).toBeLessThan(200);
  // All of them missed slots: they are caught up one by one, and others do not wait.
  const runs = bench.agents.runs.length;
  await clock.advance(16_000);
  expect(bench.agents.runs.length - runs).toBe(3);
  expect(await bench.runNow(id)).toMatchObject({ result: "running" });
});

test("a thousand schedules of every minute, after a week: each is caught up once, and few run at a time", async () => {
  await using bench = await startBench();
  const cron = { frequency: "custom", cron: "* * * * *", timeZone: "UTC" };
  const { id, schedules } = await bench.create({ schedules: [cron] });
  await multiply(bench, [id, schedules[0]!.id], 1_000);
  await bench.kernel.restart();

  await bench.kernel.kernel.stop();
  await bench.kernel.clock.advance(7 * DAY);
  const back = bench.kernel.clock.now();
  expect(await cpuCostOf(() => bench.kernel.restart())).toBeLessThan(2_000);

  let atWork = 0;
  let most = 0;
  let done = 0;
  const { agents, kernel } = bench;
  // Each of them takes a second.
  const play = async () => {
    while (agents.runs.length > done) {
      atWork = agents.runs.length - done;
      most = Math.max(most, atWork);
      for (const run of agents.runs.slice(done)) run.finish();
      done = agents.runs.length;
      await kernel.clock.advance(0);
    }
  };
  for (let second = 0; second < 61; second++) {
    await kernel.clock.advance(1_000);
    await play();
  }
  expect(most).toBeGreaterThan(0);
  // As many as may run at once, for all that have waited.
  expect(most).toBeLessThanOrEqual(4);
  const runs = new Map<string, string[]>();
  for (const { subject, data } of kernel.events.all(RunFinished)) {
    expect(data.result).toBe("done");
    runs.set(subject, [...(runs.get(subject) ?? []), data.trigger]);
  }
  expect(runs.size).toBe(1_000);
  for (const triggers of runs.values()) {
    // By then each had a slot or two of its own, which stand for the week too.
    expect(triggers.length).toBeLessThanOrEqual(3);
    expect(
      triggers.filter((trigger) => trigger === "catch-up").length,
    ).toBeLessThanOrEqual(1);
  }
  // The slot of this very minute was not missed: it goes after its offset.
  const late = (await bench.runs(id)).filter(
    ({ slotAt }) => Date.parse(slotAt!) < back,
  );
  expect(late.length).toBeLessThanOrEqual(1);
});
