import { expect, test } from "vitest";
import {
  isRange,
  toDashboardRange,
  toDay,
  toDaysText,
} from "../app/shell/dashboardRange.ts";

const today = "2026-03-01";
const read = (text: unknown) => toDashboardRange(text, today, "Europe/Berlin");

test("a range ends today, and is compared with as many days before", () => {
  const { value, range } = read("7d");
  expect(value).toBe("7d");
  expect(range).toMatchObject({
    ...{ from: "2026-02-23", to: today, by: "day" },
    before: { from: "2026-02-16", to: "2026-02-22" },
    timeZone: "Europe/Berlin",
  });
  expect(range.times).toHaveLength(7);
  expect(read("1y").range.times).toHaveLength(365);
});

test("a day is shown by the hour", () => {
  const { range } = read("today");
  expect(range).toMatchObject({
    ...{ from: today, to: today, by: "hour" },
    before: { from: "2026-02-28", to: "2026-02-28" },
  });
  expect(range.times.at(-1)).toBe("2026-03-01T23");
  expect(range.times).toHaveLength(24);
});

test("days of one's own are kept in the address as they are", () => {
  const { value, range } = read(toDaysText("2025-12-30", "2026-01-02"));
  expect(value).toBe("own");
  expect(range.times).toEqual([
    "2025-12-30",
    "2025-12-31",
    "2026-01-01",
    "2026-01-02",
  ]);
  expect(range.before).toEqual({ from: "2025-12-26", to: "2025-12-29" });
});

test.each([
  undefined,
  "",
  "a week",
  ["7d", "30d"],
  "2026-03-01..2026-02-01",
  "2020-01-01..2026-02-01",
  "2026-13-01..2026-14-01",
])("%j is the last 30 days", (text) => {
  expect(read(text).value).toBe("30d");
});

test("which day it is depends on where the reader is", () => {
  const instant = Date.parse("2026-03-01T23:30:00Z");
  expect(toDay(instant, "UTC")).toBe("2026-03-01");
  expect(toDay(instant, "Europe/Berlin")).toBe("2026-03-02");
  expect(isRange("2026-03-01", "2026-03-01")).toBe(true);
  expect(isRange("", "2026-03-01")).toBe(false);
});
