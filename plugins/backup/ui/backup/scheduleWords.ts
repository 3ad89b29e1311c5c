/** How often the schedule may be at most. */
export const MIN_MINUTES = 15;
const HOUR = 60;
const DAY = 24 * HOUR;

/** Times that a schedule is usually set to, in minutes. */
export const usualSchedules: readonly number[] = [
  15,
  30,
  HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  7 * DAY,
];

/** How often, as a part of a sentence: `every hour`, `every 90 minutes`. */
export function everyInWords(minutes: number): string {
  if (minutes === 7 * DAY) return "every week";
  if (minutes % DAY === 0) return every(minutes / DAY, "day");
  if (minutes % HOUR === 0) return every(minutes / HOUR, "hour");
  return every(minutes, "minute");
}

/** What is kept, in a sentence. */
export function keepInWords(keepDays: number, keepsWeekly: boolean): string {
  const days =
    keepDays === 1
      ? "the newest of the last day"
      : `one a day for ${keepDays} days`;
  const weeks = keepsWeekly ? "then one a week permanently" : "nothing older";
  return `Keeps everything of the last 24 hours, ${days}, ${weeks}.`;
}

/** About how many snapshots there are at the end of `keepDays`. */
export function countKept(everyMinutes: number, keepDays: number): number {
  const ofLastDay = Math.max(1, Math.floor(DAY / everyMinutes));
  // Of a schedule of more than a day, days without a snapshot keep none.
  const ofDays = Math.ceil(
    Math.max(0, keepDays - 1) / Math.max(1, everyMinutes / DAY),
  );
  return ofLastDay + ofDays;
}

function every(count: number, unit: string): string {
  return count === 1 ? `every ${unit}` : `every ${count} ${unit}s`;
}
