import type { StoreOperation } from "@gantry/plugin";
import { expect, test } from "vitest";
import { daily, startBench } from "./support/start.ts";
import type { Bench } from "./support/start.ts";

const COUNT = 3_000;
const DAY = 24 * 3_600_000;

/** Fills the store with copies of an automation and of all that belongs to it, each under ids of its own. */
async function multiply({ kernel }: Bench, ids: string[]): Promise<void> {
  const { engine } = kernel.kernel.foundation.core;
  const keys = await engine.keys("automations:");
  const entries = await Promise.all(
    keys.map(async (key) => JSON.stringify([key, await engine.get(key)])),
  );
  const text = entries.join("\n");
  const writes: Promise<void>[] = [];
  for (let copy = 1; copy < COUNT; copy++) {
    // Ids have the letters a to z and the digits 2 to 7.
    const letters = copy.toString(26).padStart(5, "0");
    const suffix = letters.replace(/\d/g, (digit) => "qrstuvwxyz"[+digit]!);
    const renamed = ids.reduce(
      (all, id) => all.replaceAll(id, id.slice(0, -5) + suffix),
      text,
    );
    const operations = renamed.split("\n").map((line): StoreOperation => {
      const [key, value] = JSON.parse(line) as [string, object];
      return { type: "set", key, value };
    });
    writes.push(engine.commit(operations));
  }
  await Promise.all(writes);
}

test("thousands of automations with schedules and runs: starting and listing take no longer than they may", async () => {
  await using bench = await startBench();
  bench.agents.answer = () => ({});
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
  await multiply(bench, [id, ...schedules.map((one) => one.id), ...runIds]);

  await bench.kernel.kernel.stop();
  await bench.kernel.clock.advance(3 * DAY);
  const began = performance.now();
  await bench.kernel.restart();
  expect(performance.now() - began).toBeLessThan(5_000);
  const { api, clock } = bench.kernel;
  const list = () =>
    api.get<{ items: { nextRunAt: string }[] }>("/api/automations", {
      limit: 50,
    });
  expect((await list()).body.items).toHaveLength(50);
  const listed = performance.now();
  for (let count = 0; count < 5; count++) await list();
  expect((performance.now() - listed) / 5).toBeLessThan(200);
  // All of them missed slots: they are made up for one by one, and nobody else waits.
  const runs = bench.agents.runs.length;
  await clock.advance(16_000);
  expect(bench.agents.runs.length - runs).toBe(3);
  expect(await bench.runNow(id)).toMatchObject({ result: "running" });
});
