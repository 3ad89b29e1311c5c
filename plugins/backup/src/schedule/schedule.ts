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
  /** A snapshot was made, which was begun at a moment. */
  made(begun: Moment): void;
  /** A snapshot failed just now. */
  failed(): void;
  /** A folder was chosen: what failed before is tried again at once, and another one gets its first snapshot. */
  folderChosen(isOther: boolean): Promise<void>;
}

/** Continues from what an earlier daemon stored. */
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
  // Stored too, or a daemon that starts often would wait for the whole period again after each start.
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
    made(begun) {
      made = begun;
      failed = undefined;
    },
    failed() {
      failed = readMoment(clock);
    },
    async folderChosen(isOther) {
      await history.change({
        ...{ failures: 0, failedAt: null, problem: null },
        ...(isOther && { madeAt: null }),
      });
      failed = undefined;
      if (isOther) made = undefined;
    },
  };
}
