const DAY_MS = 86_400_000;

/**
 * Tells the local time at instants of a time zone, as the number of ms that the same wall time would have in UTC, so that
 * plain arithmetic works on it. Making one is slow, and so is asking it hundreds of thousands of times.
 *
 * @param timeZone IANA name.
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
 * Tells the local hour at instants of a time zone, as `2026-03-01T14`; its first ten characters are the local day. It is
 * for figures that are kept in UTC and told by the reader's days. Every zone is whole quarters of an hour away from UTC.
 *
 * @param timeZone IANA name.
 * @throws RangeError for a zone that this machine does not know.
 */
export function createLocalHours(
  timeZone: string,
): (instant: number) => string {
  const toLocal = createLocalTime(timeZone);
  // Formatting is slow, and on nearly all days the distance to UTC stays what it is.
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
 * Tells whether a text is the IANA name of a time zone that this machine knows. Offsets such as `+02:00` are none: they
 * do not follow the clocks of any place.
 */
export function isTimeZone(text: string): boolean {
  if (text.length > 64 || !/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(text))
    return false;
  try {
    return Boolean(new Intl.DateTimeFormat("en-US", { timeZone: text }));
  } catch {
    return false;
  }
}

/**
 * The days from one to another, both included, as `2026-03-01`.
 *
 * @returns `undefined` if one is no day, the first is after the last, or there are more than `most`.
 */
export function daysBetween(
  from: string,
  to: string,
  most: number,
): string[] | undefined {
  const first = Date.parse(`${from}T00:00:00Z`);
  const last = Date.parse(`${to}T00:00:00Z`);
  if (!(first <= last) || last - first >= most * DAY_MS) return undefined;
  const days: string[] = [];
  for (let at = first; at <= last; at += DAY_MS)
    days.push(new Date(at).toISOString().slice(0, 10));
  return days;
}
