/** A five-field cron line, taken apart. */
export interface CronLine {
  /** Single spaces, names as numbers, Sunday as 0: what is handed to croner. */
  text: string;
  minutes: readonly number[];
  hours: readonly number[];
  days: readonly number[];
  months: readonly number[];
  weekdays: readonly number[];
  /** With both restricted, a day counts that fits either. */
  anyDay: boolean;
  anyWeekday: boolean;
}

/** Longest line that is looked at. */
export const MAX_CRON_LENGTH = 256;

interface Field {
  name: string;
  from: number;
  to: number;
  names?: readonly string[];
}

const FIELDS: readonly Field[] = [
  { name: "minute", from: 0, to: 59 },
  { name: "hour", from: 0, to: 23 },
  { name: "day", from: 1, to: 31 },
  {
    name: "month",
    from: 1,
    to: 12,
    names: "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split(" "),
  },
  {
    name: "weekday",
    from: 0,
    to: 7,
    names: "SUN MON TUE WED THU FRI SAT".split(" "),
  },
];

/** February has 29 days every four years, which is often enough to fire. */
const MAX_MONTH_DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Takes a cron line apart: `minute hour day month weekday`, each `*`, a value, a range, a step (`*` or a range, slash,
 * number) or a list of these. It is stricter than croner, which also takes nicknames, seconds and characters that
 * other cron implementations do not know.
 *
 * @returns the line, or the reason why it is none.
 */
export function parseCronLine(line: string): CronLine | { problem: string } {
  if (line.length > MAX_CRON_LENGTH)
    return {
      problem: `a cron line has at most ${MAX_CRON_LENGTH} characters`,
    };
  if (!/^[\x20-\x7e]*$/.test(line))
    return { problem: "a cron line has plain characters and spaces only" };
  const parts = line.trim().split(/ +/);
  if (line.trim().startsWith("@"))
    return {
      problem: 'nicknames such as "@hourly" are not taken; write five fields',
    };
  if (parts.length !== FIELDS.length) {
    return {
      problem: `a cron line has five fields (minute hour day month weekday), not ${line.trim() === "" ? 0 : parts.length}`,
    };
  }
  const sets: number[][] = [];
  for (const [index, field] of FIELDS.entries()) {
    const values = parseField(parts[index] ?? "", field);
    if ("problem" in values) return values;
    sets.push(values.set);
  }
  const [minutes = [], hours = [], days = [], months = [], sundays = []] = sets;
  const weekdays = unique(sundays.map((day) => day % 7));
  const isAny = { day: parts[2] === "*", weekday: parts[4] === "*" };
  // With both restricted either is enough, so one that names all of its days leaves nothing for the other to say.
  const isEveryDay =
    (!isAny.day && days.length === 31) ||
    (!isAny.weekday && weekdays.length === 7);
  const anyDay = isAny.day || isEveryDay;
  const anyWeekday = isAny.weekday || isEveryDay;
  if (!anyDay && anyWeekday && !canFire(days, months))
    return { problem: "no month that it names has such a day: it never fires" };
  return {
    text: [
      ...[minutes, hours].map((set) => set.join(",")),
      anyDay ? "*" : days.join(","),
      months.join(","),
      anyWeekday ? "*" : weekdays.join(","),
    ].join(" "),
    minutes,
    hours,
    days,
    months,
    weekdays,
    anyDay,
    anyWeekday,
  };
}

function parseField(
  text: string,
  field: Field,
): { set: number[] } | { problem: string } {
  const set: number[] = [];
  for (const item of text.split(",")) {
    const values = parseItem(item, field);
    if (!values) {
      return {
        problem: `"${item}" is not a ${field.name}: it takes *, ${field.from}-${field.to}, ranges a-b, steps */n or a-b/n, and lists of these`,
      };
    }
    set.push(...values);
  }
  return { set: unique(set) };
}

function parseItem(
  item: string,
  { from, to, names }: Field,
): number[] | undefined {
  const match = /^(?:(\*)|(\w{1,3})(?:-(\w{1,3}))?)(?:\/(\d{1,2}))?$/.exec(
    item,
  );
  if (!match) return undefined;
  const [, star, low, high, stepText] = match;
  const single = star === undefined && high === undefined;
  if (single && stepText !== undefined) return undefined;
  const first = star ? from : toValue(low, from, to, names);
  // A step through all weekdays ends on Saturday: 7 is only another name of Sunday.
  const last = star
    ? Math.min(to, to === 7 ? 6 : to)
    : single
      ? first
      : toValue(high, from, to, names);
  const step = stepText === undefined ? 1 : Number(stepText);
  if (first === undefined || last === undefined || first > last)
    return undefined;
  if (step < 1 || step > to - from + 1) return undefined;
  const values: number[] = [];
  for (let value = first; value <= last; value += step) values.push(value);
  return values;
}

function toValue(
  text: string | undefined,
  from: number,
  to: number,
  names: readonly string[] | undefined,
): number | undefined {
  const named = names?.indexOf((text ?? "").toUpperCase()) ?? -1;
  if (named >= 0) return named + from;
  if (!/^\d{1,2}$/.test(text ?? "")) return undefined;
  const value = Number(text);
  return value >= from && value <= to ? value : undefined;
}

function canFire(days: readonly number[], months: readonly number[]): boolean {
  const earliest = Math.min(...days);
  return months.some((month) => earliest <= (MAX_MONTH_DAYS[month - 1] ?? 0));
}

function unique(values: readonly number[]): number[] {
  return [...new Set(values)].sort((one, other) => one - other);
}
