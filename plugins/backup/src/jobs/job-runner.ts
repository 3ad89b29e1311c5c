import { describeError, type Clock, type Log } from "@gantry/plugin";
import type { BackupJob } from "../contract.ts";
import { errors } from "../errors.ts";

/** Events about progress are at least so far apart. */
const PROGRESS_INTERVAL_MS = 1000;

/** How far a job is. */
export type JobProgress = Partial<
  Pick<BackupJob, "step" | "doneBytes" | "totalBytes" | "snapshotId">
>;

/** The running job, as its `work` function sees it. */
export interface Job {
  /** Aborts when the plugin stops. */
  readonly signal: AbortSignal;
  /** Reports progress; there is no limit on how often. */
  update(progress: JobProgress): void;
}

/** Runs one job at a time, and reports its progress. */
export interface JobRunner {
  readonly current: BackupJob | null;
  /**
   * Runs a job.
   *
   * @throws BACKUP_BUSY at once while another is running, and what `work` throws
   */
  run<Result>(
    kind: BackupJob["kind"],
    snapshotId: string | null,
    work: (job: Job) => Promise<Result>,
  ): Promise<Result>;
  /** Resolves when no job is running. Never rejects. */
  settled(): Promise<void>;
}

/** Dependencies of {@link createJobRunner}. */
export interface JobRunnerHost {
  clock: Clock;
  log: Log;
  signal: AbortSignal;
  /** Told at most once a second. */
  publish(job: BackupJob): Promise<void>;
}

/** The step that a kind of job begins with. */
const FIRST_STEPS = {
  snapshot: "reading",
  verification: "checking",
  restore: "checking",
} as const;

/** Makes a runner without a job. */
export function createJobRunner(host: JobRunnerHost): JobRunner {
  const { clock, signal } = host;
  let current: BackupJob | null = null;
  let working: Promise<unknown> = Promise.resolve();

  return {
    get current() {
      return current;
    },
    async run(kind, snapshotId, work) {
      if (current) throw toBusy(current);
      current = {
        kind,
        snapshotId,
        step: FIRST_STEPS[kind],
        startedAt: clock.timestamp(),
        doneBytes: 0,
        totalBytes: null,
      };
      const publishing = publishSometimes(host, () => current);
      const job: Job = {
        signal,
        update(progress) {
          if (!current) return;
          current = { ...current, ...progress };
          publishing.changed();
        },
      };
      publishing.changed();
      const result = (async () => {
        try {
          return await work(job);
        } finally {
          current = null;
          await publishing.end();
        }
      })();
      working = result.catch(() => undefined);
      return await result;
    },
    settled: async () => void (await working),
  };
}

/** Says that a job has to wait for another one. */
export function toBusy({ kind, startedAt }: BackupJob) {
  return errors.BACKUP_BUSY({ kind, since: startedAt });
}

/** Publishes changes at once, and further ones together when a second has passed. */
function publishSometimes(
  { clock, log, signal, publish }: JobRunnerHost,
  read: () => BackupJob | null,
) {
  let last = -Infinity;
  let cancel: (() => void) | undefined;
  let publishing = Promise.resolve();

  function publishNow(): void {
    cancel = undefined;
    const job = read();
    if (!job || signal.aborted) return;
    last = clock.monotonic();
    publishing = publishing.then(() =>
      publish(job).catch((error: unknown) => {
        if (!signal.aborted)
          log.warn("Progress could not be published", {
            reason: describeError(error),
          });
      }),
    );
  }

  return {
    changed(): void {
      if (cancel) return;
      const left = last + PROGRESS_INTERVAL_MS - clock.monotonic();
      if (left <= 0) publishNow();
      else cancel = clock.after(left, publishNow);
    },
    async end(): Promise<void> {
      cancel?.();
      await publishing;
    },
  };
}
