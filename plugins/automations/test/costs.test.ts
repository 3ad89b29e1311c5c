import { mkdtempSync, realpathSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { runs } from "@gantry/build/testing";
import { afterAll, describe, expect, test } from "vitest";
// eslint-disable-next-line gantry/layers -- what is tried is both plugins together
import agents from "@gantry/plugin-agents";
import { TurnCharged } from "@gantry/plugin-agents/contract";
import { startTestKernel } from "@gantry/plugin-testing";
import type { TestKernel } from "@gantry/plugin-testing";
import plugin from "../src/index.ts";
import type { AutomationView } from "../src/wire/automation.ts";
import type { RunRecord } from "../src/wire/run.ts";
import type { SpendingView } from "../src/wire/spending.ts";
import { takeCrashImage } from "./support/crash-image.ts";
import { createMeteredAgents } from "./support/metered-agents.ts";
import type { MeteredAgents } from "./support/metered-agents.ts";

// Outside of the homes, which come and go.
const workspace = realpathSync(mkdtempSync(join(tmpdir(), "gantry-costs-")));
afterAll(() => rm(workspace, { recursive: true }));

interface Daemon extends AsyncDisposable {
  kernel: TestKernel;
  metered: MeteredAgents;
}

/** Starts a daemon with real agents and automations, on the home of one that was killed if there is one. */
async function startDaemon(home?: string): Promise<Daemon> {
  const metered = createMeteredAgents();
  const kernel = await startTestKernel([agents, metered.plugin, plugin], {
    home,
    settings: { agents: metered.settings },
  });
  return { kernel, metered, [Symbol.asyncDispose]: () => kernel.stop() };
}

/** Kills a daemon and starts another one on what it left. */
async function killAndStart(killed: Daemon): Promise<Daemon> {
  return startOn(killed, takeCrashImage(killed.kernel.home));
}

async function startOn(killed: Daemon, image: string): Promise<Daemon> {
  // What the killed one still does happens in another home.
  await killed[Symbol.asyncDispose]();
  return startDaemon(image);
}

async function create(
  { kernel }: Daemon,
  input: object = { cli: "metered", workspace },
): Promise<string> {
  const { body } = await kernel.api.post<{ automation: AutomationView }>(
    "/api/automations",
    { name: "Spender", prompt: "Spend.", ...input },
  );
  return body.automation.id;
}

const runNow = async ({ kernel }: Daemon, id: string) =>
  (await kernel.api.post<{ run: RunRecord }>(`/api/automations/${id}/run`)).body
    .run;

async function lastRun({ kernel }: Daemon, id: string): Promise<RunRecord> {
  const path = `/api/automations/${id}/runs`;
  for (;;) {
    const { body } = await kernel.api.get<{ items: RunRecord[] }>(path);
    const [run] = body.items;
    if (run && run.result !== "running") return run;
  }
}

/** What the agents and what the automations count as spent. */
async function readBooks({ kernel }: Daemon) {
  const usage = await kernel.api.get<{
    total: { usage: { costUsd: number | null } };
  }>("/api/usage", { by: "automation" });
  const { day } = (
    await kernel.api.get<SpendingView>("/api/automations/spending")
  ).body;
  return {
    usage: usage.body.total.usage.costUsd ?? 0,
    budget: day.spentUsd,
    unknownRuns: day.unknownRuns,
  };
}

describe("what runs cost", () => {
  test(
    "is in the budget too when the daemon is killed during the run, again and again",
    { tags: "thorough" },
    async () => {
      let daemon = await startDaemon();
      const id = await create(daemon);
      const path = "/api/automations/spending";
      const body = { maxDailyUsd: 16, maxWeeklyUsd: null };
      await daemon.kernel.api.request("PUT", path, { body });
      for (const total of [8, 16]) {
        await runNow(daemon, id);
        const session = await daemon.metered.prompted();
        await session.spend(8);
        daemon = await killAndStart(daemon);
        expect(await lastRun(daemon, id)).toMatchObject({
          reason: "daemon-restarted",
          costUsd: 8,
          sessionId: session.id,
        });
        expect(await readBooks(daemon)).toMatchObject({
          usage: total,
          budget: total,
        });
      }
      expect(await runNow(daemon, id)).toMatchObject({
        result: "skipped",
        reason: "cost-cap",
      });
      await daemon[Symbol.asyncDispose]();
    },
  );

  test("is counted when the automation is deleted during the run", async () => {
    await using daemon = await startDaemon();
    const id = await create(daemon);
    await runNow(daemon, id);
    const session = await daemon.metered.prompted();
    await session.spend(3);
    session.lastCostUsd = 1;
    await daemon.kernel.api.delete(`/api/automations/${id}`);
    await expect
      .poll(() => readBooks(daemon))
      .toMatchObject({
        usage: 4,
        budget: 4,
      });
  });

  test("is counted when the daemon is killed right after the automation was deleted", async () => {
    let daemon = await startDaemon();
    const id = await create(daemon);
    await runNow(daemon, id);
    const session = await daemon.metered.prompted();
    await session.spend(3);
    const { engine } = daemon.kernel.kernel.foundation.core;
    const { commit } = engine;
    let image: string | undefined;
    engine.commit = async (...batch) => {
      const newest = await commit(...batch);
      if (batch[0].some(({ key }) => key.includes(":deleting:")))
        image ??= takeCrashImage(daemon.kernel.home);
      return newest;
    };
    await daemon.kernel.api.delete(`/api/automations/${id}`);
    daemon = await startOn(daemon, image!);
    expect(await readBooks(daemon)).toMatchObject({ usage: 3, budget: 3 });
    await daemon.kernel.restart();
    expect(await readBooks(daemon)).toMatchObject({ usage: 3, budget: 3 });
    await daemon[Symbol.asyncDispose]();
  });

  test("includes what a CLI spends while it is being closed", async () => {
    await using daemon = await startDaemon();
    const id = await create(daemon);
    await runNow(daemon, id);
    const session = await daemon.metered.prompted();
    await session.spend(2);
    session.lastCostUsd = 0.5;
    await session.finish();
    expect(await lastRun(daemon, id)).toMatchObject({
      result: "done",
      costUsd: 2.5,
    });
    expect(await readBooks(daemon)).toEqual({
      usage: 2.5,
      budget: 2.5,
      unknownRuns: 0,
    });
  });
});

test("what a CLI reports after the answer to a message is added to the run, its automation and the budget", async () => {
  await using daemon = await startDaemon();
  const { api } = daemon.kernel;
  const agent = await api.post<{ id: string }>("/api/agents", {
    name: "Helper",
    cli: "metered",
    cwd: workspace,
  });
  const { id: targetAgentId } = agent.body;
  await api.post(`/api/agents/${targetAgentId}/managed/start`);
  const id = await create(daemon, { mode: "message", targetAgentId });
  await runNow(daemon, id);
  const session = await daemon.metered.prompted();
  await session.spend(1);
  await session.finish();
  expect(await lastRun(daemon, id)).toMatchObject({ costUsd: 1 });
  const charged = daemon.kernel.events.next(TurnCharged);
  await session.spend(0.5);
  await charged;
  const read = async () => ({
    run: (await lastRun(daemon, id)).costUsd,
    automation: (await api.get<AutomationView>(`/api/automations/${id}`)).body
      .lastRun?.costUsd,
    ...(await readBooks(daemon)),
  });
  await expect.poll(read).toEqual({
    ...{ run: 1.5, automation: 1.5 },
    ...{ usage: 1.5, budget: 1.5, unknownRuns: 0 },
  });
  await daemon.kernel.restart();
  expect(await read()).toMatchObject({ run: 1.5, usage: 1.5, budget: 1.5 });
});

/** One daemon's life: it runs the automation, and is killed at one of the writes that this brings. */
const life = fc.record({
  costs: fc.array(fc.constantFrom(0.25, 1, 4), { maxLength: 3 }),
  late: fc.constantFrom(null, 0.5),
  end: fc.constantFrom("finish", "stop", "delete", "continue"),
  killedAt: fc.nat(12),
});

test(
  "after a kill at any write, usage and budget agree on what was spent",
  { tags: "thorough" },
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(life, { minLength: 1, maxLength: 3 }),
        async (lives) => {
          let daemon = await startDaemon();
          try {
            for (const { costs, late, end, killedAt } of lives) {
              const id = await create(daemon);
              const { engine } = daemon.kernel.kernel.foundation.core;
              const { commit } = engine;
              const taken: string[] = [];
              const take = () => taken.push(takeCrashImage(daemon.kernel.home));
              engine.commit = (...batch) => {
                take();
                return commit(...batch);
              };
              await runNow(daemon, id);
              const session = await daemon.metered.prompted();
              for (const cost of costs) await session.spend(cost);
              session.lastCostUsd = late;
              const path = `/api/automations/${id}`;
              if (end === "finish") await session.finish();
              if (end === "stop") await daemon.kernel.api.post(`${path}/stop`);
              if (end === "delete") await daemon.kernel.api.delete(path);
              if (end === "finish" || end === "stop") await lastRun(daemon, id);
              take();
              const image = taken.at(-1 - (killedAt % taken.length))!;
              daemon = await startOn(daemon, image);
              const books = await readBooks(daemon);
              expect(books.budget).toBe(books.usage);
            }
          } finally {
            await daemon[Symbol.asyncDispose]();
          }
        },
      ),
      { numRuns: runs(20) },
    );
  },
);
