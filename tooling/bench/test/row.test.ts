import { describe, expect, test } from "vitest";
import {
  atLeast,
  atMost,
  kilobytes,
  megabytes,
  milliseconds,
  over,
  perSecond,
  renderTable,
  under,
} from "../src/measure/row.ts";

describe("an aim", () => {
  test.each([
    { row: atLeast("", "", "", 0.7, 0.7), aim: "≥ 0.7 ×", isMet: true },
    { row: atLeast("", "", "", 0.69, 0.7), aim: "≥ 0.7 ×", isMet: false },
    { row: atMost("", "", "", 1.5, 1.5), aim: "≤ 1.5 ×", isMet: true },
    { row: atMost("", "", "", 1.51, 1.5), aim: "≤ 1.5 ×", isMet: false },
    { row: under("", 100, 100, String), aim: "≤ 100", isMet: true },
    { row: under("", 101, 100, String), aim: "≤ 100", isMet: false },
    { row: over("", 650, 650, String), aim: "≥ 650", isMet: true },
    { row: over("", 649, 650, String), aim: "≥ 650", isMet: false },
  ])("$aim is met: $isMet", ({ row, aim, isMet }) => {
    expect(row).toMatchObject({ aim, isMet });
  });

  test("against a limit says how much of it was taken", () => {
    expect(under("Memory", 50, 200, String).ratio).toBe(0.25);
    expect(over("Writes", 300, 200, String).ratio).toBe(1.5);
  });

  test("against a limit says what was measured beside it", () => {
    expect(under("Echo", 1, 2, String).against).toBe("limit");
    expect(under("Echo", 1, 2, String, "alone 0.5").against).toBe(
      "limit (alone 0.5)",
    );
  });
});

test("figures have their units", () => {
  expect(perSecond(12345.6)).toBe("12,346/s");
  expect(milliseconds(1.234)).toBe("1.23 ms");
  expect(milliseconds(12.6)).toBe("13 ms");
  expect(kilobytes(1250)).toBe("1.3 kB");
  expect(megabytes(97_650_000)).toBe("97.7 MB");
});

test("a table has a line a row, in columns, and says what was missed", () => {
  const table = renderTable([
    atLeast("Small answers", "100/s", "bare h3 120/s", 100 / 120, 0.7),
    under("Memory", 120, 100, (value) => `${value} MB`),
  ]);
  expect(table.split("\n")).toEqual([
    "What           Gantry  Against        Ratio  Aim",
    "─────────────  ──────  ─────────────  ─────  ────────  ──────",
    "Small answers  100/s   bare h3 120/s  0.83   ≥ 0.7 ×   ok",
    "Memory         120 MB  limit          1.20   ≤ 100 MB  missed",
  ]);
});

test("a table of nothing is its head", () => {
  expect(renderTable([]).split("\n")).toHaveLength(2);
});
