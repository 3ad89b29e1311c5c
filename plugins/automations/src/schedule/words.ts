import type { ScheduleTimes } from "./rule.ts";

const WEEKDAYS =
  "Sundays Mondays Tuesdays Wednesdays Thursdays Fridays Saturdays".split(" ");

/** A schedule in words: what a run shows if the user gave the schedule no label. */
export function describeTimes(schedule: ScheduleTimes): string {
  switch (schedule.frequency) {
    case "hourly":
      return `Hourly at :${String(schedule.minute).padStart(2, "0")}`;
    case "daily":
      return `Daily at ${schedule.time}`;
    case "weekdays":
      return `Weekdays at ${schedule.time}`;
    case "weekly":
      return `${WEEKDAYS[schedule.weekday ?? 0]} at ${schedule.time}`;
    case "custom":
      return `Cron ${schedule.cron}`;
  }
}
