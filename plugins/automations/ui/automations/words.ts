import { readTimeZone } from "@gantry/ui-kit";
import { describeTimes } from "../../src/schedule/words.ts";
import { cronInWords } from "./cronInWords.ts";
import type { Automation, Schedule, ScheduleTimes } from "../wire.ts";

/** A schedule in words, with its zone if that is not the reader's. */
export function timesInWords(schedule: ScheduleTimes): string {
  const words =
    (schedule.cron !== null && cronInWords(schedule.cron)) ||
    describeTimes(schedule);
  return schedule.timeZone === readTimeZone()
    ? words
    : `${words}, ${placeOf(schedule.timeZone)} time`;
}

/** A schedule by its label, or in words. */
export function scheduleInWords(schedule: Schedule): string {
  return schedule.label || timesInWords(schedule);
}

/** What sets an automation off, in one line. */
export function triggersInWords({ schedules, webhook }: Automation): string {
  const parts = schedules.filter(({ enabled }) => enabled).map(scheduleInWords);
  if (webhook) parts.push("Webhook");
  if (parts.length > 0) return parts.join(" · ");
  return schedules.length > 0
    ? "All schedules are off"
    : "Only when you run it";
}

/** The city part of a zone: `New York` of `America/New_York`. */
export function placeOf(timeZone: string): string {
  return (timeZone.split("/").at(-1) ?? timeZone).replaceAll("_", " ");
}
