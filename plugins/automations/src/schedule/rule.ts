import { parseCronLine } from "./cron-line.ts";
import type { CronLine } from "./cron-line.ts";
import { canonicalZone } from "./zones.ts";

/** How often a schedule fires. */
export type Frequency = "hourly" | "daily" | "weekdays" | "weekly" | "custom";

/** The part of a schedule that says when it fires. Fields that its frequency does not use are `null`. */
export interface ScheduleTimes {
  frequency: Frequency;
  /** `HH:MM`, for daily, weekdays and weekly. */
  time: string | null;
  /** 0 is Sunday; for weekly. */
  weekday: number | null;
  /** 0 to 59, for hourly. */
  minute: number | null;
  /** Five fields, for custom. */
  cron: string | null;
  /** IANA name. */
  timeZone: string;
}

/** When a schedule fires, in the one form that slots are computed from. */
export interface Rule {
  line: CronLine;
  timeZone: string;
  /** Fires in every hour of the day, so that its spacing is kept when clocks change. */
  everyHour: boolean;
}

/** Makes the rule of a schedule that was checked before. @throws RangeError for one that was not. */
export function toRule(schedule: ScheduleTimes): Rule {
  const line = parseCronLine(toCron(schedule));
  if ("problem" in line) throw new RangeError(line.problem);
  return {
    line,
    timeZone: schedule.timeZone,
    everyHour: line.hours.length === 24,
  };
}

/** Rules with equal keys fire at the same times. */
export function ruleKey({ line, timeZone }: Rule): string {
  return `${line.text} ${canonicalZone(timeZone)}`;
}

function toCron(schedule: ScheduleTimes): string {
  const [hour, minute] = (schedule.time ?? "").split(":").map(Number);
  switch (schedule.frequency) {
    case "hourly":
      return `${schedule.minute} * * * *`;
    case "daily":
      return `${minute} ${hour} * * *`;
    case "weekdays":
      return `${minute} ${hour} * * 1-5`;
    case "weekly":
      return `${minute} ${hour} * * ${schedule.weekday}`;
    case "custom":
      return schedule.cron ?? "";
  }
}

/**
 * The shortest time between two slots of a rule in ms, days that it leaves out not counted. Times around a change of
 * clocks may be nearer to each other.
 */
export function intervalOf({ line }: Rule): number {
  const { minutes, hours } = line;
  let shortest = 24 * 60;
  let previous: number | undefined;
  const first = (hours[0] ?? 0) * 60 + (minutes[0] ?? 0);
  for (const hour of hours) {
    for (const minute of minutes) {
      const at = hour * 60 + minute;
      if (previous !== undefined) shortest = Math.min(shortest, at - previous);
      previous = at;
    }
  }
  // From the last slot of a day to the first of the next.
  if (previous !== undefined)
    shortest = Math.min(shortest, first + 24 * 60 - previous);
  return shortest * 60_000;
}
