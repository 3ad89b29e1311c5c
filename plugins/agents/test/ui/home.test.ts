import { describe, expect, test } from "vitest";
import { toNavigation } from "../../ui/agents/toNavigation.ts";
import { toPeriods } from "../../ui/dashboard/spending.ts";
import type { Agent } from "../../ui/wire.ts";

describe("what was spent", () => {
  const usage = (
    costUsd: number | null,
    inputTokens: number | null = null,
  ) => ({
    inputTokens,
    outputTokens: null,
    costUsd,
  });

  test("is summed for today, a week and a month, whatever the length of the month before", () => {
    const periods = toPeriods({
      to: "2026-03-02",
      items: [
        { key: "2026-03-02", turns: 1, usage: usage(1, 10) },
        { key: "2026-02-24", turns: 2, usage: usage(2) },
        { key: "2026-02-23", turns: 4, usage: usage(4) },
      ],
      total: { turns: 7, usage: usage(7, 10) },
    });
    expect(
      periods.map(({ label, turns, usage: { costUsd } }) => [
        label,
        turns,
        costUsd,
      ]),
    ).toEqual([
      ["Today", 1, 1],
      ["Last 7 days", 3, 3],
      ["Last 30 days", 7, 7],
    ]);
    expect(periods[1]?.usage.inputTokens).toBe(10);
  });

  test("is unknown, never 0, where no CLI says what it costs", () => {
    const items = [
      { key: "2026-03-02", turns: 1, usage: usage(null) },
      { key: "2026-03-01", turns: 1, usage: usage(null) },
    ];
    const total = { turns: 2, usage: usage(null) };
    const [today, week] = toPeriods({ to: "2026-03-02", items, total });
    expect(today?.usage.costUsd).toBeNull();
    expect(week?.usage.costUsd).toBeNull();
  });
});

describe("agents under the navigation", () => {
  const agent = (id: string, state: "open" | "closed", updatedAt: string) =>
    ({ id, state, activity: "idle", updatedAt }) as Agent;
  const ids = (agents: readonly Agent[]) => agents.map(({ id }) => id);

  test("those that were closed last come after those that are open, while there is room", () => {
    const open = [agent("a", "open", "1"), agent("b", "open", "2")];
    const recent = ["3", "9", "5", "4"].map((at) => agent(at, "closed", at));
    expect(ids(toNavigation(open, [...open, ...recent]))).toEqual([
      "a",
      "b",
      "9",
      "5",
      "4",
    ]);
    const many = Array.from({ length: 7 }, (_, index) =>
      agent(`o${index}`, "open", "1"),
    );
    expect(ids(toNavigation(many, recent))).toEqual(ids(many));
  });

  test("one that closes meanwhile is shown once", () => {
    const closing = agent("a", "closed", "2");
    expect(ids(toNavigation([agent("a", "open", "1")], [closing]))).toEqual([
      "a",
    ]);
  });
});
