const DAY_MS = 86_400_000;

/**
 * A time to come, on the clocks of a zone: `Mon 09:03`; a week away and more with the date, and with the year if that is
 * another.
 */
export function formatSlot(
  moment: string,
  now: number,
  timeZone?: string,
): string {
  const time = new Date(moment);
  const isNear = time.getTime() - now < 6 * DAY_MS;
  const sameYear = time.getFullYear() === new Date(now).getFullYear();
  return new Intl.DateTimeFormat(undefined, {
    timeZone,
    weekday: "short",
    ...(isNear ? {} : { day: "numeric", month: "short" }),
    ...(isNear || sameYear ? {} : { year: "numeric" }),
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  }).format(time);
}
