import { describeError, isGantryError } from "@gantry/plugin";
import { collectUnused } from "../archive/collect-unused.ts";
import { deleteSnapshot } from "../archive/delete-snapshot.ts";
import type { Manifest } from "../archive/manifest.ts";
import {
  SnapshotDeleted,
  SnapshotFailed,
  SnapshotMade,
  type Snapshot,
} from "../contract.ts";
import type { errors } from "../errors.ts";
import type { Job } from "../jobs/job-runner.ts";
import { chooseExpired } from "../schedule/choose-expired.ts";
import { readMoment, type Moment } from "../schedule/elapsed-time.ts";
import type { BackupHost } from "./backup-host.ts";
import { makeSnapshot, type SnapshotOrder } from "./make-snapshot.ts";
import { toProblem } from "./to-problem.ts";

const TOO_NEW = "BACKUP_SNAPSHOT_TOO_NEW" satisfies keyof typeof errors;

/** How a snapshot is made. */
export interface MakeOptions extends Pick<
  SnapshotOrder,
  "needsConversations" | "onLeftOut"
> {
  /** Writes all content again. Without it, this is done if some was found damaged. */
  rewrites?: boolean | undefined;
}

/** Makes snapshots as a part of a job. */
export interface SnapshotWork {
  /**
   * Makes one, records the result, and removes expired snapshots.
   *
   * @throws what `makeSnapshot` does
   */
  make(
    job: Job,
    reason: Snapshot["reason"],
    options?: MakeOptions,
  ): Promise<Snapshot>;
  /** Removes what no snapshot needs, at once or when the snapshot that is being made is whole. Rejects never. */
  collect(): Promise<void>;
}

export function createSnapshotWork(host: BackupHost): SnapshotWork {
  const { home, clock, log, signal, settings, history, shelf, keys } = host;
  const { notices, schedule, prepare } = host;
  let isMaking = false;
  let hasToCollect = false;
  let collecting = Promise.resolve();

  async function make(
    job: Job,
    reason: Snapshot["reason"],
    { rewrites = history.value.rewrites, ...options }: MakeOptions = {},
  ): Promise<Snapshot> {
    // A period begins with it, or each would be longer by what a snapshot takes.
    const begun = readMoment(clock);
    let manifest: Manifest;
    await collecting;
    isMaking = true;
    try {
      manifest = await prepare(() =>
        makeSnapshot({
          ...{ home, keys, identity: host.identity, clock, reason, rewrites },
          settings: settings.current,
          ...options,
          signal: job.signal,
          onProgress: (progress) =>
            job.update(
              // For a restore it is one step; its own steps are not shown.
              reason === "safety"
                ? { ...progress, step: "safety-snapshot" }
                : progress,
            ),
        }),
      );
    } catch (error) {
      if (!signal.aborted) await prepare(() => noteFailure(error));
      throw error;
    } finally {
      isMaking = false;
      if (hasToCollect) await collect();
    }
    await noteSuccess(manifest, begun);
    shelf.added(manifest.ownBytes);
    const snapshot = await shelf.find(manifest.id);
    await prepare(() => prune(job, manifest.id));
    return snapshot;
  }

  async function noteSuccess(manifest: Manifest, begun: Moment): Promise<void> {
    const { failingSince } = history.value;
    const { id, ownBytes, reason } = manifest;
    const write = () =>
      history.change(
        {
          madeAt: manifest.createdAt,
          failures: 0,
          failingSince: null,
          failedAt: null,
          problem: null,
          rewrites: false,
        },
        [SnapshotMade.of(id, { ownBytes, reason })],
      );
    // One that is made before a restore is not yet what was asked for.
    await (reason === "safety" ? prepare(write) : write());
    schedule.made(begun);
    if (failingSince !== null)
      await prepare(() => notices.settle(failureKey(failingSince)));
  }

  async function noteFailure(error: unknown): Promise<void> {
    const problem = toProblem(error, clock.timestamp());
    if (!isGantryError(error)) log.error("A snapshot failed", {}, error);
    const { code, message, at } = problem;
    const failingSince = history.value.failingSince ?? at;
    schedule.failed();
    await attempt("A failure was not stored", () =>
      history.change(
        {
          failures: history.value.failures + 1,
          failingSince,
          failedAt: at,
          problem,
        },
        [SnapshotFailed.of("backup", { code, message })],
      ),
    );
    await notices.raise({
      key: failureKey(failingSince),
      title: "The backup failed",
      body: `${message}\n\nIt is tried again by itself.`,
      severity: "warning",
    });
    await collect();
  }

  /** What fails here is put right by the next snapshot. */
  async function attempt(
    failure: string,
    work: () => Promise<unknown>,
  ): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (signal.aborted) return;
      log.warn(failure, { reason: describeError(error) });
    }
  }

  async function collect(): Promise<void> {
    // A snapshot counts with content that is there when it begins, although no other has it any more.
    hasToCollect = isMaking;
    if (isMaking) return;
    const collected = collecting.then(collectNow);
    collecting = collected;
    await collected;
  }

  function collectNow(): Promise<void> {
    return attempt("Unused content was not removed", async () => {
      const { folder } = settings.current;
      if (folder === null) return;
      const options = { now: clock.now(), signal };
      const { bytes, leftOvers } = await collectUnused(folder, options);
      if (bytes > 0 || leftOvers > 0) shelf.removed();
    });
  }

  function prune(job: Job, made: string): Promise<void> {
    return attempt("Old snapshots were not removed", async () => {
      const snapshots = await shelf.list();
      const expired = new Set(
        chooseExpired(
          snapshots
            // What another home or a later version made is nothing that this one can judge.
            .filter(
              ({ problem, otherHome }) =>
                problem?.code !== TOO_NEW && otherHome === null,
            )
            .map(({ id, createdAt, problem, verifiedAt }) => ({
              ...{ id, createdAt },
              isGood: problem === null,
              isVerified: verifiedAt !== null,
            })),
          settings.current,
          clock.now(),
          // The one that a restore is about to read, and what it can be undone with.
          new Set([made, host.jobs.current?.snapshotId ?? made]),
        ),
      );
      for (const { id, path } of snapshots) {
        if (!expired.has(id)) continue;
        job.signal.throwIfAborted();
        await deleteSnapshot(path);
        await host.emit(SnapshotDeleted.of(id, { reason: "retention" }));
      }
      if (expired.size > 0) {
        shelf.removed();
        await collect();
      }
    });
  }

  return { make, collect };
}

/** The notice of a row of failures: one, however often it is tried. */
function failureKey(failingSince: string): string {
  return `backup:failed:${failingSince}`;
}
