import { describe, expect, test } from "vitest";
import { toFigures, tokensOf } from "../../ui/dashboard/figures.ts";
import type { UsageSum } from "../../ui/wire.ts";

const sum = (turns: number, costUsd: number | null): UsageSum => ({
  turns,
  ends: { end: turns, cancelled: 0, refused: 0, error: 0 },
  usage: {
    inputTokens: costUsd === null ? null : 5,
    outputTokens: null,
    costUsd,
  },
  unknown: { cost: costUsd === null ? turns : 0, tokens: 0 },
});
const row = (key: string, turns: number, costUsd: number | null) => ({
  ...{ key, name: null },
  ...sum(turns, costUsd),
});
const range = {
  from: "2026-03-01",
  before: { from: "2026-02-27", to: "2026-02-28" },
  times: ["2026-03-01", "2026-03-02"],
};

describe("figures of the dashboard", () => {
  test("a range is told from the time before it, by the day and by the hour", () => {
    const items = [row("2026-03-02", 2, 1), row("2026-02-28", 3, 4)];
    const { columns, now, before } = toFigures(
      { items, since: "2026-01-01" },
      range,
    );
    expect(columns.map(({ turns }) => turns)).toEqual([0, 2]);
    expect([now.turns, now.usage.costUsd]).toEqual([2, 1]);
    expect([before?.turns, before?.usage.costUsd]).toEqual([3, 4]);
    const hours = ["2026-03-01T00", "2026-03-01T01"];
    const hourly = toFigures(
      { items: [row("2026-03-01T00", 1, 1)], since: "2026-01-01" },
      { ...range, times: hours },
    );
    expect(hourly.now.turns).toBe(1);
    expect(hourly.columns[0]?.turns).toBe(1);
  });

  test("a time of which only the end was counted is nothing to compare with", () => {
    const items = [row("2026-03-02", 2, 1), row("2026-02-28", 3, 4)];
    expect(toFigures({ items, since: "2026-02-28" }, range).before).toBe(
      undefined,
    );
    expect(toFigures({ items: [], since: null }, range).since).toBeNull();
  });

  test("a missing cost is unknown, beside one that is known it is counted", () => {
    const items = [row("2026-03-01", 2, null), row("2026-03-02", 1, 0.5)];
    const { now } = toFigures({ items, since: "2026-01-01" }, range);
    expect([now.usage.costUsd, now.unknown.cost]).toEqual([0.5, 2]);
    const [first] = items;
    const unknown = toFigures({ items: [first!], since: "2026-01-01" }, range);
    expect(unknown.now.usage.costUsd).toBeNull();
    expect(tokensOf(sum(1, null))).toBeNull();
    expect(tokensOf(sum(1, 1))).toBe(5);
  });
});
