import type { RunDay, RunRecord } from "../wire/run.ts";

const DAYS_KEPT = 30;
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Counts a run that has ended among those of its day, and forgets days that are too old. One that is still running is not counted.
 */
export function countDay(
  days: readonly RunDay[],
  { firedAt, result }: Pick<RunRecord, "firedAt" | "result">,
): RunDay[] {
  if (result === "running") return [...days];
  const day = firedAt.slice(0, 10);
  const known = days.find((one) => one.day === day);
  const counted = { ...(known ?? { day, done: 0, failed: 0, skipped: 0 }) };
  counted[result]++;
  const oldest = new Date(Date.parse(day) - (DAYS_KEPT - 1) * DAY_MS)
    .toISOString()
    .slice(0, 10);
  return [...days.filter((one) => one.day !== day), counted]
    .filter((one) => one.day >= oldest)
    .sort((one, other) => (one.day < other.day ? -1 : 1))
    .slice(-DAYS_KEPT);
}
