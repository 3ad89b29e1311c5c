import { expect, test, vi } from "vitest";
import { createIdentifier, definePlugin } from "@gantry/plugin";
import { AgentRuns } from "@gantry/plugin-agents/contract";
import { provideFake, startTestKernel } from "@gantry/plugin-testing";
import plugin from "../../src/index.ts";
import { openRecords } from "../../src/records/records.ts";
import type { RunRecord } from "../../src/wire/run.ts";
import { createFakeAgents } from "../support/fake-agents.ts";

const RUNS = 200_000;
const AUTOMATIONS = 20;
const BATCH = 500;
const MAX_PAGE_MS = 50;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Stands in the plugin's place once, and writes as it would what years of runs leave. */
function createSeeder(ids: readonly string[]) {
  let done: () => void = () => {};
  const written = new Promise<void>((resolve) => (done = resolve));
  const seeder = definePlugin({
    id: "automations",
    api: 1,
    summary: "Writes a long history",
    mounts: ["/api/automations"],
    setup(ctx) {
      const records = openRecords(ctx.store, ctx.clock);
      const write = async () => {
        for (let from = 0; from < RUNS; from += BATCH) {
          const operations = Array.from({ length: BATCH }, (_, offset) => {
            const index = from + offset;
            const firedAt = new Date(
              ctx.clock.now() - (RUNS - index) * ((400 * DAY_MS) / RUNS),
            ).toISOString();
            return records.runs.toInsert({
              id: createIdentifier("run"),
              createdAt: firedAt,
              automationId: ids[index % ids.length]!,
              number: Math.floor(index / ids.length) + 1,
              scheduleId: null,
              scheduleLabel: null,
              trigger: "manual",
              slotAt: null,
              firedAt,
              startedAt: firedAt,
              finishedAt: firedAt,
              result: "done",
              reason: null,
              agentId: null,
              sessionId: null,
              problem: null,
              costUsd: 0.01,
              message: "Nothing is new.",
              decision: [],
            }).operations;
          });
          await records.batch(operations.flat());
        }
        for (const id of ids) {
          const state = await records.states.get(id);
          const runs = RUNS / ids.length;
          await records.batch(records.states.toWrite({ ...state, runs }));
        }
        done();
      };
      void write();
    },
  });
  return { seeder, written };
}

test("a history of 200,000 runs is paged in no time, and is pruned by age and by count", async () => {
  const agents = createFakeAgents();
  agents.answer = () => ({});
  const provider = provideFake(AgentRuns, agents.service);
  const settings = {
    automations: { limits: { runsKept: 5_000, runDays: 365 } },
  };
  await using first = await startTestKernel([provider, plugin], { settings });
  const ids: string[] = [];
  for (let count = 0; count < AUTOMATIONS; count++) {
    const { body } = await first.api.post<{ automation: { id: string } }>(
      "/api/automations",
      { name: `Old ${count}`, prompt: "Say what is new." },
    );
    ids.push(body.automation.id);
  }
  await first.kernel.stop();
  {
    const { seeder, written } = createSeeder(ids);
    await using second = await startTestKernel([seeder], { home: first.home });
    await written;
    await second.kernel.stop();
  }
  const began = performance.now();
  await first.restart();
  const startMs = performance.now() - began;

  const read = async (query: object) => {
    const asked = performance.now();
    const { body } = await first.api.get<{
      items: RunRecord[];
      nextCursor: string | null;
    }>(`/api/automations/${ids[0]}/runs`, { ...query });
    return { ...body, ms: performance.now() - asked };
  };
  const times: number[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < 100; page++) {
    const found: Awaited<ReturnType<typeof read>> = await read({
      limit: 50,
      ...(cursor !== null && { cursor }),
    });
    times.push(found.ms);
    cursor = found.nextCursor;
    if (cursor === null) break;
  }
  times.sort((one, other) => one - other);
  const p99 = times[Math.floor(times.length * 0.99)]!;

  // 400 days of them were written, of which 365 are kept.
  const kept = Math.ceil((RUNS / AUTOMATIONS) * (365 / 400)) + 1;
  await vi.waitFor(
    async () => expect((await readAll()).length).toBeLessThanOrEqual(kept),
    { timeout: 300_000, interval: 1_000 },
  );
  const before = (await readAll()).length;
  for (let run = 0; run < 20; run++) {
    await first.api.post(`/api/automations/${ids[0]}/run`);
    await agents.started(run);
  }
  const after = (await readAll()).length;

  async function readAll(): Promise<RunRecord[]> {
    const all: RunRecord[] = [];
    let next: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof read>> = await read({
        limit: 500,
        ...(next !== null && { cursor: next }),
      });
      all.push(...page.items);
      next = page.nextCursor;
    } while (next !== null);
    return all;
  }

  console.log(
    `200,000 runs: start ${Math.round(startMs)} ms, a page of 50 in ${p99.toFixed(1)} ms (p99); of one automation ${before} were kept by age, and ${after} after 20 more runs`,
  );
  expect(p99).toBeLessThan(MAX_PAGE_MS);
  expect(startMs).toBeLessThan(10_000);
  // Each run that is written removes two that are too many.
  expect(after).toBeLessThanOrEqual(before - 15);
});
