import { definePlugin, type Store, type StoreOperation } from "@gantry/plugin";
import type { TurnCharge } from "@gantry/plugin-agents/contract";
import { startTestKernel } from "@gantry/plugin-testing";
import { expect, test } from "vitest";
import { cpuCostOf } from "@gantry/build/testing";
import { keyOfDay, UsageBook } from "../src/sums/usage-book.ts";
import { reportUsage, USAGE_GROUPS } from "../src/sums/usage-report.ts";

const AGENTS = 100;
const TURNS_EACH = 1_000;
const day = "2026-03-01";
const APART_MS = 86_000;
const costOf = (turn: number) => (turn % 10 === 0 ? null : turn % 7);
const endOf = (turn: number) => (turn % 4 === 0 ? "error" : "end");

/** The stored sums of a busy day of an agent. */
async function countBusyDay(): Promise<object> {
  let value: object | undefined;
  const memory = { get: async () => value } as unknown as Store;
  const book = new UsageBook(memory, console as never);
  for (let turn = 0; turn < TURNS_EACH; turn++) {
    const [operation] = await book.toAdd([
      {
        id: String(turn),
        turnId: String(turn),
        earlierUsage: null,
        agentId: "busy",
        agentName: "Busy",
        model: "large",
        automationId: turn % 5 ? null : "automation",
        finishedAt: new Date(Date.parse(day) + turn * APART_MS).toISOString(),
        stopReason: endOf(turn),
        usage: { inputTokens: 10, outputTokens: 1, costUsd: costOf(turn) },
      },
    ]);
    if (operation?.type === "set") value = operation.value;
  }
  return value!;
}

test("a day of 100,000 turns is summed fast and exactly", async () => {
  let store: Store | undefined;
  const owner = definePlugin({
    id: "busy",
    api: 1,
    summary: "Has a store",
    mounts: [],
    async setup(ctx) {
      store = ctx.store;
    },
  });
  await using kernel = await startTestKernel([owner]);
  expect(kernel.api).toBeDefined();
  const value = await countBusyDay();
  await store!.batch(
    Array.from({ length: AGENTS }, (_, agent) => ({
      type: "set",
      key: keyOfDay(day, `agent${agent}`),
      value,
    })),
  );
  const book = new UsageBook(store!, console as never);

  const range = { from: "2025-03-01", to: day, timeZone: "Asia/Kolkata" };
  // Kolkata is 5 h 30 min ahead: what comes later is of the next day there.
  const inside = Array.from({ length: TURNS_EACH }, (_, turn) => turn).filter(
    (turn) => turn * APART_MS < 18.5 * 3_600_000,
  );
  const isFailed = (turn: number) => endOf(turn) === "error";
  for (const by of USAGE_GROUPS) {
    const from = by === "hour" ? day : range.from;
    let report: Awaited<ReturnType<typeof reportUsage>> | undefined;
    const cost = await cpuCostOf(async () => {
      report = await reportUsage(book, { ...range, from, by });
    });
    expect(cost, by).toBeLessThan(3_000);
    const { total, rest, items } = report!;
    expect(total.turns).toBe(AGENTS * inside.length);
    expect(total.usage.costUsd).toBe(
      AGENTS * inside.reduce((sum, turn) => sum + (costOf(turn) ?? 0), 0),
    );
    expect(total.unknown).toEqual({
      cost: AGENTS * inside.filter((turn) => costOf(turn) === null).length,
      tokens: 0,
    });
    expect(total.ends.error).toBe(AGENTS * inside.filter(isFailed).length);
    const shown = items.reduce((sum, row) => sum + row.turns, rest.turns);
    expect(shown).toBe(total.turns);
  }
});

test("a cost that is reported late is added to its turn, and the turn counts once", async () => {
  const values = new Map<string, object>();
  const memory = {
    get: async (key: string) => values.get(key),
    list: async (prefix: string) => ({
      items: [...values]
        .filter(([key]) => key.startsWith(prefix))
        .map(([key, value]) => ({ key, value })),
      nextCursor: null,
    }),
  } as unknown as Store;
  const book = new UsageBook(memory, console as never);
  const turn: TurnCharge = {
    ...{ id: "1", turnId: "1", earlierUsage: null },
    ...{ agentId: "one", agentName: "One", model: null, automationId: null },
    ...{ finishedAt: `${day}T12:00:00.000Z`, stopReason: "end" },
    usage: { inputTokens: null, outputTokens: null, costUsd: null },
  };
  const write = (operations: readonly StoreOperation[]) => {
    for (const each of operations)
      if (each.type === "set")
        values.set(each.key, structuredClone(each.value));
  };
  write(await book.toAdd([turn]));
  const late = { inputTokens: 5, outputTokens: null, costUsd: 0.25 };
  write(
    await book.toAdd([
      { ...turn, id: "2", usage: late, earlierUsage: turn.usage },
    ]),
  );
  const query = { from: day, to: day, by: "day", timeZone: "UTC" } as const;
  const { total } = await reportUsage(book, query);
  expect(total).toMatchObject({
    turns: 1,
    usage: late,
    unknown: { cost: 0, tokens: 0 },
  });
});
