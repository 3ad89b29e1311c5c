import type { Clock } from "@gantry/plugin";
import type { BackupHistory, StoredValue } from "../settings/backup-record.ts";
import {
  elapsedSince,
  readMoment,
  recallMoment,
  type Moment,
} from "./elapsed-time.ts";
import { planSnapshot } from "./plan-snapshot.ts";

/** Knows when the next snapshot is due. */
export interface Schedule {
  /** In how many ms, with such a period; 0 if it is due now. */
  untilDue(everyMinutes: number): number;
  /** A snapshot was made just now. */
  made(): void;
  /** A snapshot failed just now. */
  failed(): void;
}

/** Goes on with what an earlier daemon stored. */
export async function openSchedule(
  history: StoredValue<BackupHistory>,
  clock: Clock,
): Promise<Schedule> {
  const start = readMoment(clock);
  const recall = (stored: string | null): Moment | undefined =>
    stored === null ? undefined : recallMoment(Date.parse(stored), start);
  let made = recall(history.value.madeAt);
  let failed = recall(history.value.failedAt);
  const { madeAt } = history.value;
  // Stored too, or a daemon that starts often would begin to wait anew with each start.
  if (made && madeAt !== null && made.wall < Date.parse(madeAt))
    await history.change({ madeAt: new Date(made.wall).toISOString() });

  return {
    untilDue(everyMinutes) {
      const now = readMoment(clock);
      return planSnapshot({
        everyMinutes,
        sinceMadeMs: made && elapsedSince(made, now),
        failures: history.value.failures,
        sinceFailedMs: failed && elapsedSince(failed, now),
      });
    },
    made() {
      made = readMoment(clock);
      failed = undefined;
    },
    failed() {
      failed = readMoment(clock);
    },
  };
}
