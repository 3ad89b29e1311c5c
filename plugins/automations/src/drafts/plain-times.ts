import { parseCronLine } from "../schedule/cron-line.ts";
import type { ScheduleTimes } from "../schedule/rule.ts";

type Times = Omit<ScheduleTimes, "timeZone">;

const NONE = { time: null, weekday: null, minute: null, cron: null };
const WORKING_DAYS = "1,2,3,4,5";

/** The times of a cron line under their plainest name: "daily at 09:00" is easier to change than `0 9 * * *`. */
export function toPlainTimes(cron: string): Times {
  const custom: Times = { ...NONE, frequency: "custom", cron };
  const line = parseCronLine(cron);
  if ("problem" in line) return custom;
  const { minutes, hours, weekdays } = line;
  const [minute = 0] = minutes;
  const [hour = 0] = hours;
  if (minutes.length > 1 || !line.anyDay || line.months.length < 12)
    return custom;
  if (hours.length === 24)
    return line.anyWeekday ? { ...NONE, frequency: "hourly", minute } : custom;
  if (hours.length > 1) return custom;
  const digits = (value: number) => String(value).padStart(2, "0");
  const time = `${digits(hour)}:${digits(minute)}`;
  if (line.anyWeekday) return { ...NONE, frequency: "daily", time };
  if (weekdays.join() === WORKING_DAYS)
    return { ...NONE, frequency: "weekdays", time };
  return weekdays.length === 1
    ? { ...NONE, frequency: "weekly", time, weekday: weekdays[0]! }
    : custom;
}
