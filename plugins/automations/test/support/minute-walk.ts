/** A rule as a test writes it: plain sets, `null` for "any". */
export interface PlainRule {
  minutes: readonly number[];
  hours: readonly number[] | null;
  days: readonly number[] | null;
  months: readonly number[] | null;
  weekdays: readonly number[] | null;
}

const MINUTE = 60_000;

/** Says when a rule fires in a span, by looking at each minute of it. */
export type MinuteWalk = (
  rule: PlainRule,
  timeZone: string,
  from: number,
  until: number,
) => number[];

/**
 * Makes a walk that looks at each minute on the clocks of a zone, and knows nothing else: no croner, no search for
 * changes of the clocks. What a clock showed it remembers, since asking is slow and many walks cross the same days.
 */
export function createMinuteWalk(): MinuteWalk {
  const clocks = new Map<string, (instant: number) => number>();
  return (rule, timeZone, from, until) => {
    const read = clocks.get(timeZone) ?? openClock(timeZone);
    clocks.set(timeZone, read);
    return walkMinutes(rule, read, from, until);
  };
}

/** Reads the local time at an instant, written as the same time in UTC. */
function openClock(timeZone: string): (instant: number) => number {
  const clock = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  });
  const known = new Map<number, number>();
  return (instant) => {
    let shown = known.get(instant);
    if (shown === undefined) {
      const part: Record<string, number> = {};
      for (const { type, value } of clock.formatToParts(instant))
        part[type] = Number(value);
      shown = Date.UTC(
        part.year!,
        part.month! - 1,
        part.day!,
        part.hour!,
        part.minute!,
      );
      known.set(instant, shown);
    }
    return shown;
  };
}

function walkMinutes(
  rule: PlainRule,
  read: (instant: number) => number,
  from: number,
  until: number,
): number[] {
  const slots: number[] = [];
  let shown = read(from - MINUTE);
  /** Everything up to here has been on the clocks before. */
  let seen = shown;
  let repeatsFully = false;
  for (let now = from; now <= until; now += MINUTE) {
    const before = shown;
    shown = read(now);
    const shift = shown - before - MINUTE;
    if (shift !== 0) {
      const fits = keepsPace(rule, shift / MINUTE);
      repeatsFully = shift < 0 && fits;
      if (shift > 0 && !fits) {
        for (
          let skipped = before + MINUTE;
          skipped < shown;
          skipped += MINUTE
        ) {
          if (!fires(rule, skipped)) continue;
          slots.push(now);
          break;
        }
      }
    }
    const isNew = shown > seen;
    seen = Math.max(seen, shown);
    if (fires(rule, shown) && (isNew || repeatsFully) && slots.at(-1) !== now)
      slots.push(now);
  }
  return slots;
}

function fires(rule: PlainRule, shown: number): boolean {
  const date = new Date(shown);
  const has = (set: readonly number[] | null, value: number) =>
    set === null || set.includes(value);
  const day = rule.days?.includes(date.getUTCDate()) ?? false;
  const weekday = rule.weekdays?.includes(date.getUTCDay()) ?? false;
  const dayFits =
    rule.days === null && rule.weekdays === null ? true : day || weekday;
  return (
    rule.minutes.includes(date.getUTCMinutes()) &&
    has(rule.hours, date.getUTCHours()) &&
    has(rule.months, date.getUTCMonth() + 1) &&
    dayFits
  );
}

function keepsPace({ hours, minutes }: PlainRule, shift: number): boolean {
  if (hours !== null && hours.length < 24) return false;
  const on = (minute: number) => minutes.includes(((minute % 60) + 60) % 60);
  return minutes.every((minute) => on(minute + shift));
}

/** A rule as a cron line. */
export function toCronText(rule: PlainRule): string {
  const field = (set: readonly number[] | null) => set?.join(",") ?? "*";
  return [rule.minutes, rule.hours, rule.days, rule.months, rule.weekdays]
    .map(field)
    .join(" ");
}
