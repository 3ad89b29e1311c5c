import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { definePlugin, type Store } from "@gantry/plugin";
import { startTestKernel } from "@gantry/plugin-testing";
import { storedFields } from "@gantry/plugin/zod";
import { afterEach, beforeEach, expect, test } from "vitest";
import * as z from "zod";
import { PLUGINS, UsageKernel } from "./help/usage-kernel.ts";

// Homes in which the agents plugin kept the sums, or had none.

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "gantry-usage-earlier-"));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const DAY = new Date().toISOString().slice(0, 10);
const AT = `${DAY}T00:00:00.000Z`;

/** Writes what the agents plugin of an earlier version left in its store. */
async function writeEarlier(write: (store: Store) => Promise<void>) {
  const earlier = definePlugin({
    id: "agents",
    api: 1,
    summary: "An earlier version",
    mounts: [],
    setup: (ctx) => write(ctx.store),
  });
  const kernel = await startTestKernel([earlier], { home });
  await kernel.stop();
}

const usageOf = (costUsd: number) => ({
  ...{ inputTokens: 10, outputTokens: 1, costUsd },
});

/** A turn as it was recorded. */
const turnOf = (number: number) => ({
  ...{ id: `trn_${number}`, agentId: "agt_1", agentName: "Ada" },
  ...{ cli: "practice", model: "large", automationId: null, runId: null },
  ...{ taskId: null, sessionId: null, startedAt: AT, finishedAt: AT },
  ...{ day: DAY, stopReason: "end", error: null, usage: usageOf(number) },
});

/** Writes turns in the form of the collection. */
async function writeTurns(store: Store, count: number): Promise<void> {
  const turns = store.collection({
    ...{ name: "turn", version: 1, schema: z.looseObject(storedFields) },
  });
  for (let number = 1; number <= count; number++)
    await turns.insert(turnOf(number));
}

const sumsOf = (turns: number, costUsd: number) => ({
  agentName: "Ada",
  parts: [
    {
      ...{ model: "large", automationId: null },
      quarters: {
        0: {
          turns,
          ends: { end: turns, cancelled: 0, refused: 0, error: 0 },
          usage: usageOf(costUsd),
          unknown: { cost: 0, tokens: 0 },
        },
      },
    },
  ],
});

/** Asks an agent, and expects that what it cost is added to what there was. */
async function expectTotal(turns: number, costUsd: number): Promise<void> {
  {
    await using kernel = await UsageKernel.start({ home });
    expect((await kernel.usage()).total).toMatchObject({
      ...{ turns, usage: { costUsd } },
    });
    const id = await kernel.createAgent({ cli: "practice", name: "New" });
    await kernel.ask(id, "[[cost:1]][[reply:a]]");
    expect((await kernel.usage()).total).toMatchObject({
      ...{ turns: turns + 1, usage: { costUsd: costUsd + 1 } },
    });
  }
  await using again = await UsageKernel.start({ home });
  expect((await again.usage()).total).toMatchObject({
    ...{ turns: turns + 1, usage: { costUsd: costUsd + 1 } },
  });
}

test("sums that the agents plugin kept are copied once, and their turns are not counted again", async () => {
  await writeEarlier(async (store) => {
    await writeTurns(store, 2);
    // The sums go further back than the turns.
    await store.set(`usage-sum:${DAY}:agt_1`, sumsOf(2, 3));
    await store.set("usage-sum:2020-01-01:agt_1", sumsOf(5, 50));
  });
  await expectTotal(2, 3);
  await using kernel = await UsageKernel.start({ home });
  const range = { from: "2020-01-01", to: "2020-01-01" };
  expect(await kernel.usage(range)).toMatchObject({
    ...{ total: { turns: 5, usage: { costUsd: 50 } }, since: "2020-01-01" },
  });
});

test("turns of a home without sums are counted", async () => {
  await writeEarlier((store) => writeTurns(store, 450));
  await expectTotal(450, (450 * 451) / 2);
});

test("turns that end while the plugin is missing are counted when it is back", async () => {
  {
    const others = PLUGINS.filter(({ id }) => id !== "usage");
    await using kernel = await UsageKernel.start({ home, plugins: others });
    const id = await kernel.createAgent({ cli: "practice", name: "Ada" });
    await kernel.ask(id, "[[cost:2]][[reply:a]]");
    const answer = await kernel.api.get("/api/usage");
    expect(answer.status).toBe(404);
  }
  await expectTotal(1, 2);
});
