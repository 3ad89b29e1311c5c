import { costRatio } from "@gantry/build/testing";
import { expect, test } from "vitest";
import { RunFinished } from "../src/contract.ts";
import { multiply } from "./support/multiply.ts";
import { daily, startBench } from "./support/start.ts";
import type { Bench } from "./support/start.ts";

const COUNT = 3_200;
/** How many times as many these are as those they are compared with. */
const GROWTH = 16;
const DAY = 24 * 3_600_000;

/** Processor time of a restart, in ms. */
async function costOfRestart(bench: Bench): Promise<number> {
  const start = process.threadCpuUsage();
  await bench.kernel.restart();
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1_000;
}

/** Restarts a daemon with `count` automations, each with schedules and runs, after three days. */
async function restartWith(count: number) {
  const bench = await startBench();
  bench.agents.answer = () => ({});
  const { id, schedules } = await bench.create({
    schedules: [
      daily("13:00"),
      daily("14:00", { timeZone: "America/New_York" }),
      daily("15:00", { enabled: false }),
    ],
  });
  const runIds: string[] = [];
  for (let run = 1; run <= 5; run++) {
    runIds.push((await bench.runNow(id)).id);
    await bench.ended(id, run);
  }
  const ids = [id, ...schedules.map((one) => one.id), ...runIds];
  await multiply(bench, ids, count);
  await bench.kernel.kernel.stop();
  await bench.kernel.clock.advance(3 * DAY);
  return { bench, id, cost: await costOfRestart(bench) };
}

test(
  "thousands of automations with schedules and runs: starting and listing are linear, and missed slots delay no request",
  { tags: "thorough" },
  async () => {
    const few = await restartWith(COUNT / GROWTH);
    await using smallBench = few.bench;
    const { bench: largeBench, id, cost } = await restartWith(COUNT);
    await using bench = largeBench;
    expect(cost / few.cost).toBeLessThan(GROWTH);

    const list = ({ kernel }: Bench) =>
      kernel.api.get<{ items: object[] }>("/api/automations", { limit: 50 });
    expect((await list(bench)).body.items).toHaveLength(50);
    // An implementation that reads all automations would take many times as long.
    expect(
      await costRatio(
        () => list(bench),
        () => list(smallBench),
      ),
    ).toBeLessThan(4);

    // All of them missed slots: they are made up for one by one, and a run by hand starts at once.
    const runs = bench.agents.runs.length;
    await bench.kernel.clock.advance(16_000);
    expect(bench.agents.runs.length - runs).toBe(3);
    expect(await bench.runNow(id)).toMatchObject({ result: "running" });
  },
);

test(
  "a thousand schedules of every minute, after a week: each is made up for once, and few run at a time",
  { tags: "thorough" },
  async () => {
    await using bench = await startBench();
    const cron = { frequency: "custom", cron: "* * * * *", timeZone: "UTC" };
    const { id, schedules } = await bench.create({ schedules: [cron] });
    await multiply(bench, [id, schedules[0]!.id], 1_000);
    await bench.kernel.restart();
    const usual = await costOfRestart(bench);

    await bench.kernel.kernel.stop();
    await bench.kernel.clock.advance(7 * DAY);
    const back = bench.kernel.clock.now();
    // Walking over ten thousand missed slots of each would take hundreds of times as long.
    expect((await costOfRestart(bench)) / usual).toBeLessThan(8);

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
    // The limit on runs at once holds for those that have waited, too.
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
  },
);
