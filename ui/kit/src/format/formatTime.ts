/** A moment: ms since 1970, an RFC 3339 text, or a `Date`. */
export type Moment = number | string | Date;

const units: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_557_600_000],
  ["month", 2_629_800_000],
  ["week", 604_800_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];

/** Distance from `now` in words: `3 min ago`, `in 2 hr.`; within 45 s it is `now`. */
export function formatRelative(moment: Moment, now: number): string {
  const distance = new Date(moment).getTime() - now;
  const format = new Intl.RelativeTimeFormat(undefined, {
    numeric: "auto",
    style: "short",
  });
  if (Math.abs(distance) < 45_000) return format.format(0, "second");
  for (const [unit, size] of units) {
    // A minute begins at 45 s, so that rounding never gives "0 min".
    if (Math.abs(distance) >= size || unit === "minute") {
      const count = Math.round(distance / size);
      return format.format(count === 0 ? Math.sign(distance) : count, unit);
    }
  }
  return format.format(0, "second");
}

/** Local date and time to the second, with the zone: what a relative time shows when pointed at. */
export function formatExact(moment: Moment): string {
  return new Intl.DateTimeFormat(undefined, {
    weekday: "short",
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    timeZoneName: "short",
  }).format(new Date(moment));
}

/** Local date and time, short: today only the time, this year without the year. */
export function formatDateTime(moment: Moment, now: number): string {
  const date = new Date(moment);
  const today = new Date(now);
  const sameYear = date.getFullYear() === today.getFullYear();
  const sameDay = date.toDateString() === today.toDateString();
  return new Intl.DateTimeFormat(undefined, {
    ...(sameDay
      ? {}
      : {
          weekday: sameYear ? "short" : undefined,
          month: "short",
          day: "numeric",
        }),
    ...(sameYear ? {} : { year: "numeric" }),
    hour: "2-digit",
    minute: "2-digit",
  }).format(date);
}

/** Local time of day: `14:05`. */
export function formatClock(moment: Moment): string {
  return new Intl.DateTimeFormat(undefined, {
    hour: "2-digit",
    minute: "2-digit",
  }).format(new Date(moment));
}
