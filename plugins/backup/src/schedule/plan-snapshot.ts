const MINUTE_MS = 60_000;
const FIRST_RETRY_MS = 5 * MINUTE_MS;
const MAX_RETRY_MS = 6 * 60 * MINUTE_MS;

/** What decides when the next snapshot is due. */
export interface ScheduleFacts {
  /** A snapshot is due so long after the one before. */
  everyMinutes: number;
  /** Age of the newest snapshot that was made; `undefined` if there was none. */
  sinceMadeMs: number | undefined;
  /** How often it failed since. */
  failures: number;
  /** How long ago it failed last; `undefined` if it did not. */
  sinceFailedMs: number | undefined;
}

/**
 * In how many ms the next snapshot is due; 0 if it is due now. One that is overdue by many periods, after sleep or
 * downtime, is due once.
 */
export function planSnapshot(facts: ScheduleFacts): number {
  const { everyMinutes, sinceMadeMs, failures, sinceFailedMs } = facts;
  const everyMs = everyMinutes * MINUTE_MS;
  const untilDue = sinceMadeMs === undefined ? 0 : everyMs - sinceMadeMs;
  const untilRetry =
    sinceFailedMs === undefined
      ? 0
      : toRetryDelay(failures, everyMs) - sinceFailedMs;
  return Math.max(0, untilDue, untilRetry);
}

/** How long to wait after `failures` in a row: 5 minutes and twice as long each time, at most 6 hours or one period. */
export function toRetryDelay(failures: number, everyMs: number): number {
  if (failures <= 0) return 0;
  const longest = Math.max(FIRST_RETRY_MS, Math.min(MAX_RETRY_MS, everyMs));
  return Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), longest);
}
