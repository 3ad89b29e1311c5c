import { definePlugin, type Clock, type NewRecord } from "@gantry/plugin";
import { startTestKernel } from "@gantry/plugin-testing";
import { expect, test } from "vitest";
import type { AgentRecord } from "../../src/records/agent-record.ts";
import { createHistorySweep } from "../../src/records/history-sweep.ts";
import { openRecords, type Records } from "../../src/records/records.ts";
import type { TaskRecord } from "../../src/records/task-record.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const never = new AbortController().signal;

/** Records in a real store, by a clock that the test sets. */
async function startRecords() {
  let records!: Records;
  let clock!: Clock;
  const keeper = definePlugin({
    id: "keeper",
    api: 1,
    summary: "Has a store",
    mounts: [],
    async setup(ctx) {
      records = openRecords(ctx.store);
      clock = ctx.clock;
    },
  });
  const kernel = await startTestKernel([keeper]);
  const start = clock.now();
  const sweep = createHistorySweep({ records, clock });
  return {
    records,
    after: (days: number) => kernel.clock.jumpWall(start + days * DAY_MS),
    sweep: () => sweep(never),
    [Symbol.asyncDispose]: () => kernel.stop(),
  };
}

const agent = { agentId: "agt_1" };
const AGENT: NewRecord<AgentRecord> = {
  ...{ id: "agt_1", name: "Ada", cli: "practice", cwd: "/tmp" },
  ...{ workspaceId: null, model: null, thinking: null, extraPrompt: null },
  ...{ readOnly: false, automationId: null, state: "closed", mode: null },
  ...{ activity: "idle", sessionId: null, terminalId: null, screen: null },
  ...{ lastMessage: null, dialogs: [], turn: null, cutOff: null, fork: null },
  ...{
    openWork: [],
    pendingRestart: null,
    problem: null,
    context: null,
    worktree: null,
  },
  ...{ resumeKey: null, reportedCostUsd: null, ownsFolder: false },
  usage: { inputTokens: 0, outputTokens: 0, costUsd: null },
};

async function addTask(
  { tasks }: Records,
  id: string,
  status: TaskRecord["status"],
): Promise<void> {
  await tasks.insert({
    ...agent,
    ...{ id, status, kind: "prompt", message: id, source: "test" },
    ...{ runId: null, sessionId: null, turnId: null, startsAgent: false },
    ...{ reason: null, via: null, deliveredAt: null, images: [] },
    order: id,
  });
}

async function addTurn({ turns }: Records, id: string, day: string) {
  const at = `${day}T00:00:00.000Z`;
  await turns.insert({
    ...agent,
    ...{ id, agentName: "Ada", cli: "practice", model: null },
    ...{ automationId: null, runId: null, taskId: null, sessionId: null },
    ...{ startedAt: at, finishedAt: at, day, stopReason: "end", error: null },
    usage: { inputTokens: 0, outputTokens: 0, costUsd: 1 },
  });
}

const idsOf = async (records: Records, kind: "tasks" | "turns") =>
  (await records[kind].list({ limit: 500 })).items.map(({ id }) => id).sort();

test("messages go 90 days after they were delivered or given up; what waits stays", async () => {
  await using kept = await startRecords();
  const { records } = kept;
  await records.agents.insert(AGENT);
  // More than are read at once, and what waits comes first.
  for (let n = 100; n < 110; n++) await addTask(records, `a${n}`, "queued");
  for (let n = 100; n < 550; n++) await addTask(records, `b${n}`, "delivered");
  for (const status of ["failed", "cancelled", "delivering"] as const)
    await addTask(records, `c-${status}`, status);
  kept.after(30);
  await addTask(records, "later", "delivered");
  kept.after(89);
  await kept.sweep();
  expect(await idsOf(records, "tasks")).toHaveLength(464);
  kept.after(91);
  await kept.sweep();
  const left = await idsOf(records, "tasks");
  expect(left.filter((id) => !id.startsWith("a1"))).toEqual([
    "c-delivering",
    "later",
  ]);
  expect(left).toHaveLength(12);
});

test("turns go when no report of usage reaches back to them", async () => {
  await using kept = await startRecords();
  const { records } = kept;
  for (let n = 100; n < 350; n++)
    await addTurn(records, `old${n}`, "2026-03-02");
  await addTurn(records, "newer", "2026-03-04");
  kept.after(732);
  await kept.sweep();
  expect(await idsOf(records, "turns")).toHaveLength(251);
  kept.after(733);
  await kept.sweep();
  expect(await idsOf(records, "turns")).toEqual(["newer"]);
});
