import { definePlugin, type Store } from "@gantry/plugin";
import { startTestKernel } from "@gantry/plugin-testing";
import {
  cases,
  costRatio,
  MAX_LINEAR_GROWTH,
  runs,
} from "@gantry/build/testing";
import { expect, test } from "vitest";
import { UsageBook } from "../../src/usage/usage-book.ts";
import { reportUsage, USAGE_GROUPS } from "../../src/usage/usage-report.ts";

const AGENTS = runs(100);
const TURNS_EACH = 1_000;
const day = "2026-03-01";
const APART_MS = 86_000;
const costOf = (turn: number) => (turn % 10 === 0 ? null : turn % 7);
const endOf = (turn: number) => (turn % 4 === 0 ? "error" : "end");

/** What is in the store of an agent's busy day. */
async function countBusyDay(): Promise<object> {
  let value: object | undefined;
  const memory = { get: async () => value } as unknown as Store;
  const book = new UsageBook(memory, console as never);
  for (let turn = 0; turn < TURNS_EACH; turn++) {
    const [operation] = await book.toCount({
      agentId: "busy",
      agentName: "Busy",
      model: "large",
      automationId: turn % 5 ? null : "automation",
      day,
      finishedAt: new Date(Date.parse(day) + turn * APART_MS).toISOString(),
      stopReason: endOf(turn),
      usage: { inputTokens: 10, outputTokens: 1, costUsd: costOf(turn) },
    });
    if (operation?.type === "set") value = operation.value;
  }
  return value!;
}

test(
  "a day of many thousand turns is told to the cent, at a cost that is linear in its agents",
  { tags: "thorough" },
  async () => {
    const stores = new Map<string, Store>();
    const owners = ["busy", "calm", "calmer"].map((id) =>
      definePlugin({
        id,
        api: 1,
        summary: "Has a store",
        mounts: [],
        async setup(ctx) {
          stores.set(id, ctx.store);
        },
      }),
    );
    await using kernel = await startTestKernel(owners);
    expect(kernel.api).toBeDefined();
    const value = await countBusyDay();
    async function openBook(owner: string, agents: number): Promise<UsageBook> {
      const store = stores.get(owner)!;
      await store.batch(
        Array.from({ length: agents }, (_, agent) => ({
          type: "set",
          key: `usage-sum:${day}:agent${agent}`,
          value,
        })),
      );
      return new UsageBook(store, console as never);
    }
    const book = await openBook("busy", AGENTS);
    const calm = await openBook("calm", 16);
    const calmer = await openBook("calmer", 1);

    const range = { from: "2025-03-01", to: day, timeZone: "Asia/Kolkata" };
    // Kolkata is 5 h 30 min ahead: what comes later is of the next day there.
    const inside = Array.from({ length: TURNS_EACH }, (_, turn) => turn).filter(
      (turn) => turn * APART_MS < 18.5 * 3_600_000,
    );
    const isFailed = (turn: number) => endOf(turn) === "error";
    for (const by of USAGE_GROUPS) {
      const from = by === "hour" ? day : range.from;
      const report = (of: UsageBook) => reportUsage(of, { ...range, from, by });
      const { total, rest, items } = await report(book);
      if (cases(USAGE_GROUPS).includes(by)) {
        const growth = await costRatio(
          () => report(calm),
          () => report(calmer),
        );
        expect(growth, by).toBeLessThan(MAX_LINEAR_GROWTH);
      }
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
  },
);

test("a cost that is reported late is counted once, where its turn is", async () => {
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
  const turn = {
    ...{ agentId: "one", agentName: "One", model: null, automationId: null },
    ...{ day, finishedAt: `${day}T12:00:00.000Z`, stopReason: "end" as const },
    usage: { inputTokens: null, outputTokens: null, costUsd: null },
  };
  const write = (operations: Awaited<ReturnType<typeof book.toCount>>) => {
    for (const each of operations)
      if (each.type === "set")
        values.set(each.key, structuredClone(each.value));
  };
  write(await book.toCount(turn));
  const late = { inputTokens: 5, outputTokens: null, costUsd: 0.25 };
  write(await book.toCountLate(turn, late));
  const query = { from: day, to: day, by: "day", timeZone: "UTC" } as const;
  const { total } = await reportUsage(book, query);
  expect(total).toMatchObject({
    turns: 1,
    usage: late,
    unknown: { cost: 0, tokens: 0 },
  });
});
