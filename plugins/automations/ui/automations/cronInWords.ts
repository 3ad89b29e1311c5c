import { parseCronLine } from "../../src/schedule/cron-line.ts";

const DAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(
  " ",
);
const MONTHS =
  "January February March April May June July August September October November December".split(
    " ",
  );
/** More times than these in a day are described by their hours and minutes. */
const MAX_TIMES = 4;

const pad = (value: number) => String(value).padStart(2, "0");
const clock = (hour: number, minute: number) => `${pad(hour)}:${pad(minute)}`;

function list(words: readonly string[], last = "and"): string {
  return words.length < 2
    ? words.join("")
    : `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`;
}

/** Runs of three and more are described by their ends. */
function spans(
  values: readonly number[],
  name: (value: number) => string,
): string {
  const words: string[] = [];
  for (let index = 0; index < values.length;) {
    let end = index;
    while (values[end + 1] === values[end]! + 1) end++;
    if (end - index >= 2)
      words.push(`${name(values[index]!)} to ${name(values[end]!)}`);
    else
      for (const value of values.slice(index, end + 1)) words.push(name(value));
    index = end + 1;
  }
  return list(words);
}

/** The step of values that go through a whole range evenly from 0. */
function stepOf(values: readonly number[], whole: number): number | undefined {
  const step = (values[1] ?? whole) - (values[0] ?? 0);
  if (values[0] !== 0 || whole % step !== 0) return undefined;
  return values.length === whole / step &&
    values.every((value, index) => value === index * step)
    ? step
    : undefined;
}

function timesInDay(
  minutes: readonly number[],
  hours: readonly number[],
): string {
  const all = hours.flatMap((hour) =>
    minutes.map((minute) => clock(hour, minute)),
  );
  if (all.length <= MAX_TIMES) return `at ${list(all)}`;
  const step = stepOf(minutes, 60);
  const every =
    step === 1
      ? "every minute"
      : step !== undefined && step < 60
        ? `every ${step} minutes`
        : `at ${minutes.length === 1 ? "minute" : "minutes"} ${list(minutes.map(String))}`;
  if (hours.length === 24)
    return step === undefined || step === 60 ? `${every} of every hour` : every;
  const hourStep = stepOf(hours, 24);
  if (hourStep !== undefined && hourStep < 24)
    return `${every} of every ${ordinal(hourStep)} hour`;
  const first = minutes[0]!;
  const last = minutes.at(-1)!;
  const isSpan = hours.every(
    (hour, index) => index === 0 || hour === hours[index - 1]! + 1,
  );
  return isSpan && step !== undefined
    ? `${every} from ${clock(hours[0]!, first)} to ${clock(hours.at(-1)!, last)}`
    : `${every} of the hours ${spans(hours, String)}`;
}

function ordinal(value: number): string {
  const ends: Record<number, string> = { 1: "st", 2: "nd", 3: "rd" };
  const isTeen = value % 100 >= 11 && value % 100 <= 13;
  return `${value}${(!isTeen && ends[value % 10]) || "th"}`;
}

/** A cron line in a sentence; `undefined` for one that is none. */
export function cronInWords(text: string): string | undefined {
  const line = parseCronLine(text);
  if ("problem" in line) return undefined;
  const { minutes, hours, days, months, weekdays, anyDay, anyWeekday } = line;
  const parts: string[] = [];
  // Sunday goes last, as in a week of work.
  const fromMonday = weekdays.map((day) => (day + 6) % 7).sort((a, b) => a - b);
  const onDays = spans(fromMonday, (day) => DAYS[(day + 1) % 7]!);
  const onDates = `day ${spans(days, String)} of the month`;
  if (!anyDay && !anyWeekday)
    parts.push(`on ${onDates}, and on every ${onDays}`);
  else if (!anyDay) parts.push(`on ${onDates}`);
  else if (!anyWeekday) parts.push(`on ${onDays}`);
  if (months.length < 12)
    parts.push(`in ${spans(months, (month) => MONTHS[month - 1]!)}`);
  const times = timesInDay(minutes, hours);
  const words = [times, ...parts].join(", ");
  return `${words[0]!.toUpperCase()}${words.slice(1)}`;
}
