import { toRule } from "../schedule/rule.ts";
import type { ScheduleTimes } from "../schedule/rule.ts";
import type { Limits } from "../wire/automation.ts";
import type { WorstCase } from "../wire/spending.ts";

/** What bounds the runs of an automation. */
export interface Bounded {
  schedules: readonly (ScheduleTimes & { enabled: boolean })[];
  limits: Pick<
    Limits,
    "maxCostUsd" | "maxRunsPerHour" | "maxRunsPerDay" | "maxRunsPerWeek"
  >;
  webhook: boolean;
}

const DAYS = 7;
const HOURS = 24;

/**
 * How many runs, and how much money, rules and caps allow in a day and in a week, when everything that can fire does.
 * Runs by hand are not counted.
 */
export function worstCaseOf({
  schedules,
  limits,
  webhook,
}: Bounded): WorstCase {
  let perDay = 0;
  let perWeek = 0;
  for (const schedule of schedules) {
    if (!schedule.enabled) continue;
    const { day, week } = slotsOf(schedule);
    perDay += day;
    perWeek += week;
  }
  // Nothing but a cap bounds how often others call.
  if (webhook) perDay = perWeek = Infinity;
  const hourly = limits.maxRunsPerHour ?? Infinity;
  const daily = limits.maxRunsPerDay ?? Infinity;
  const weekly = limits.maxRunsPerWeek ?? Infinity;
  perDay = Math.min(perDay, hourly * HOURS, daily, weekly);
  perWeek = Math.min(perWeek, perDay * DAYS, weekly);
  const cost = limits.maxCostUsd ?? Infinity;
  return {
    runsPerDay: bounded(perDay),
    runsPerWeek: bounded(perWeek),
    dayUsd: perDay === 0 ? 0 : bounded(perDay * cost),
    weekUsd: perWeek === 0 ? 0 : bounded(perWeek * cost),
  };
}

/** Slots of a rule in the fullest day and week. */
function slotsOf(schedule: ScheduleTimes): { day: number; week: number } {
  const { minutes, hours, days, weekdays, anyDay, anyWeekday } =
    toRule(schedule).line;
  const day = minutes.length * hours.length;
  const fitting =
    anyDay && anyWeekday
      ? DAYS
      : (anyDay ? 0 : days.length) + (anyWeekday ? 0 : weekdays.length);
  return { day, week: day * Math.min(DAYS, fitting) };
}

const bounded = (value: number) => (Number.isFinite(value) ? value : null);

/** The sum of several; one without bound has none. */
export function addUp(all: Iterable<WorstCase>): WorstCase {
  const sum = { runsPerDay: 0, runsPerWeek: 0, dayUsd: 0, weekUsd: 0 };
  for (const one of all)
    for (const key of Object.keys(sum) as (keyof WorstCase)[])
      sum[key] += one[key] ?? Infinity;
  return {
    runsPerDay: bounded(sum.runsPerDay),
    runsPerWeek: bounded(sum.runsPerWeek),
    dayUsd: bounded(sum.dayUsd),
    weekUsd: bounded(sum.weekUsd),
  };
}
