import { describe, expect, test } from "vitest";
import { toPeriods } from "../../ui/dashboard/spending.ts";

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
