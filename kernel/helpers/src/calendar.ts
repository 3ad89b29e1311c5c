const DAY_MS = 86_400_000;

/**
 * Creates a function that converts an instant to the local time of a time zone, as the number of ms that the same wall time has in
 * UTC, so that plain arithmetic works on it. Creating one is slow, and so are hundreds of thousands of calls.
 *
 * @param timeZone IANA name of the time zone.
 * @throws RangeError for a zone that this machine does not know.
 * @example
 * const toLocal = createLocalTime("Europe/Berlin");
 * const hour = new Date(toLocal(Date.now())).getUTCHours();
 */
export function createLocalTime(timeZone: string): (instant: number) => number {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  return (instant) => {
    const values: Record<string, number> = {};
    for (const { type, value } of format.formatToParts(instant))
      values[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour, minute, second } = values;
    const wholeSecond = Math.floor(instant / 1000) * 1000;
    return (
      Date.UTC(year, month - 1, day, hour, minute, second) +
      (instant - wholeSecond)
    );
  };
}

/**
 * Creates a function that converts an instant to the local hour of a time zone, such as `2026-03-01T14`; its first ten characters
 * are the local day. Use it to group figures that are stored in UTC by the reader's days.
 *
 * @param timeZone IANA name of the time zone.
 * @throws RangeError for a zone that this machine does not know.
 */
export function createLocalHours(
  timeZone: string,
): (instant: number) => string {
  const toLocal = createLocalTime(timeZone);
  // Formatting is slow, and the offset from UTC changes on few days.
  const offsets = new Map<number, number | undefined>();

  const offsetAt = (instant: number) => toLocal(instant) - instant;

  function offsetOf(day: number): number | undefined {
    if (!offsets.has(day)) {
      const first = offsetAt(day * DAY_MS);
      const last = offsetAt((day + 1) * DAY_MS - 1);
      offsets.set(day, first === last ? first : undefined);
    }
    return offsets.get(day);
  }

  return (instant) => {
    const offset = offsetOf(Math.floor(instant / DAY_MS)) ?? offsetAt(instant);
    return new Date(instant + offset).toISOString().slice(0, 13);
  };
}

/**
 * Returns the days from one to another, both included, as `2026-03-01`.
 *
 * @returns `undefined` if a day is invalid, the first is after the last, or there are more than `max` days.
 */
export function daysBetween(
  from: string,
  to: string,
  max: number,
): string[] | undefined {
  const first = Date.parse(`${from}T00:00:00Z`);
  const last = Date.parse(`${to}T00:00:00Z`);
  if (!(first <= last) || last - first >= max * DAY_MS) return undefined;
  const days: string[] = [];
  for (let at = first; at <= last; at += DAY_MS)
    days.push(new Date(at).toISOString().slice(0, 10));
  return days;
}
