import { createLocalHours, daysBetween } from "@gantry/plugin";
import { errors } from "../errors.ts";
import type { UsageBook, UsageCell } from "./usage-book.ts";
import { addSum, createSum } from "./usage-sum.ts";
import type { UsageSum } from "./usage-sum.ts";

export const USAGE_GROUPS = [
  "hour",
  "day",
  "agent",
  "model",
  "automation",
] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

/** Longest range; two years, so that a year can be compared with the one before. */
export const MAX_DAYS = 732;
const MAX_DAYS_BY_HOUR = 14;
/** Rows that an answer has, those that cost most; what is left is one sum. */
const MAX_ROWS = 500;
const DAY_MS = 24 * 60 * 60 * 1000;

/** What was spent under one key. */
export interface UsageRow extends UsageSum {
  /** The day, the hour, or the id or name of what it is grouped by; `null` for what belongs to none. */
  key: string | null;
  name: string | null;
}

/** Which turns are summed, and by what. */
export interface UsageQuery {
  from: string;
  to: string;
  by: UsageGroup;
  /** Whose days `from` and `to` are. */
  timeZone: string;
}

/** What turns of a range came to. */
export interface UsageReport {
  items: UsageRow[];
  /** How many rows there are beyond `items`, and what they come to. */
  rest: UsageSum & { rows: number };
  total: UsageSum;
  /** The day of the first turn ever. */
  since: string | null;
}

/**
 * Sums the turns of a range of days. Only the sums of these days are read, however many turns there were.
 *
 * @throws USAGE_RANGE_INVALID
 */
export async function reportUsage(
  book: UsageBook,
  { from, to, by, timeZone }: UsageQuery,
): Promise<UsageReport> {
  const most = by === "hour" ? MAX_DAYS_BY_HOUR : MAX_DAYS;
  if (!daysBetween(from, to, most)) throw errors.USAGE_RANGE_INVALID();
  const hourAt = createLocalHours(timeZone);
  const rows = new Map<string | null, UsageRow>();
  for await (const cell of book.cells(utcDaysRound(from, to))) {
    const hour = hourAt(cell.at);
    const day = hour.slice(0, 10);
    if (day < from || day > to) continue;
    const key = by === "hour" ? hour : by === "day" ? day : keyOf(cell, by);
    let row = rows.get(key);
    if (!row) rows.set(key, (row = { key, name: null, ...createSum() }));
    addSum(row, cell.sum);
    row.name = nameOf(cell, by);
  }
  const total = createSum();
  for (const row of rows.values()) addSum(total, row);
  const sorted = [...rows.values()].sort(
    by === "hour" || by === "day" ? byNewest : byCost,
  );
  const isTime = by === "hour" || by === "day";
  const items = isTime ? sorted : sorted.slice(0, MAX_ROWS);
  const left = sorted.slice(items.length);
  const rest = { rows: left.length, ...createSum() };
  for (const row of left) addSum(rest, row);
  const begin = await book.begin();
  const since = begin === undefined ? null : hourAt(begin).slice(0, 10);
  return { items, rest, total, since };
}

function keyOf(
  { agentId, model, automationId }: UsageCell,
  by: "agent" | "model" | "automation",
): string | null {
  if (by === "agent") return agentId;
  return by === "model" ? model : automationId;
}

function nameOf(cell: UsageCell, by: UsageGroup): string | null {
  if (by === "agent") return cell.agentName;
  // An agent of an automation is named after it.
  return by === "automation" && cell.automationId !== null
    ? cell.agentName
    : null;
}

const byNewest = (left: UsageRow, right: UsageRow) =>
  (left.key ?? "") < (right.key ?? "") ? 1 : -1;

/** What is unknown comes last, but what was done more often before what was done less. */
const byCost = (left: UsageRow, right: UsageRow) =>
  (right.usage.costUsd ?? -1) - (left.usage.costUsd ?? -1) ||
  right.turns - left.turns;

/** The UTC days that days of any zone reach into, oldest first, so that the last name of an agent counts. */
function utcDaysRound(from: string, to: string): string[] {
  const move = (day: string, by: number) =>
    new Date(Date.parse(day) + by).toISOString().slice(0, 10);
  return daysBetween(move(from, -DAY_MS), move(to, DAY_MS), MAX_DAYS + 2) ?? [];
}
