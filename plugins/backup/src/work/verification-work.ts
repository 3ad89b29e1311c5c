import { describeError, isGantryError } from "@gantry/plugin";
import {
  SnapshotVerified,
  VerificationFailed,
  type Snapshot,
} from "../contract.ts";
import type { Job } from "../jobs/job-runner.ts";
import type { NowAnswer } from "../routes/inputs.ts";
import {
  writeMark,
  type VerificationMark,
} from "../snapshots/verification-mark.ts";
import type { BackupHost } from "./backup-host.ts";
import { openForVerification } from "./open-for-verification.ts";
import { isDamage, toProblem } from "./to-problem.ts";
import { verifySnapshot } from "./verify-snapshot.ts";

/** Restores snapshots on trial as a part of a job. */
export interface VerificationWork {
  /**
   * Restores one on trial and records what came of it.
   *
   * @throws BACKUP_PASSPHRASE_MISSING, BACKUP_PASSPHRASE_WRONG, and what `verifySnapshot` does
   */
  verify(
    job: Job,
    snapshot: Snapshot,
    passphrase: string | undefined,
  ): Promise<NonNullable<NowAnswer["verified"]>>;
  /** Records that a snapshot was found damaged. Rejects never. */
  markDamaged(snapshot: Snapshot, error: unknown): Promise<void>;
  /** Records that a snapshot that was found damaged is whole again. Rejects never. */
  markWhole(snapshot: Snapshot): Promise<void>;
}

export function createVerificationWork(host: BackupHost): VerificationWork {
  const { home, clock, log, signal, history, keys, notices, prepare } = host;

  async function verify(
    job: Job,
    snapshot: Snapshot,
    passphrase: string | undefined,
  ): Promise<NonNullable<NowAnswer["verified"]>> {
    const { id, path } = snapshot;
    try {
      const found = await prepare(async () => {
        const folder = host.settings.current.folder ?? "";
        const reader = await openForVerification({
          ...{ snapshot, folder, keys, passphrase, signal: job.signal },
        });
        return await verifySnapshot({
          ...{ reader, home, signal: job.signal },
          expected: host.activePlugins(),
          update: (progress) => job.update(progress),
        });
      });
      const at = clock.timestamp();
      await mark(path, { verifiedAt: at, problem: null });
      const { records, files } = found;
      const { failures, problem } = history.value;
      await history.change(
        // Failed backups remain a problem.
        { verifiedAt: at, problem: failures > 0 ? problem : null },
        [SnapshotVerified.of(id, { records, files })],
      );
      return { ok: true, at, ...found };
    } catch (error) {
      if (!signal.aborted) await prepare(() => noteFailure(snapshot, error));
      throw error;
    }
  }

  async function noteFailure(
    snapshot: Snapshot,
    error: unknown,
  ): Promise<void> {
    // Nothing was tried yet.
    if (isGantryError(error) && error.code.startsWith("BACKUP_PASSPHRASE_"))
      return;
    if (!isGantryError(error)) log.error("A verification failed", {}, error);
    const problem = toProblem(error, clock.timestamp());
    const { code, message } = problem;
    const isCorrupt = code === "BACKUP_SNAPSHOT_CORRUPT";
    await markDamaged(snapshot, error);
    try {
      await history.change({ problem }, [
        VerificationFailed.of(snapshot.id, { code, message }),
      ]);
    } catch (failure) {
      log.warn("A failed verification was not stored", {
        reason: describeError(failure),
      });
    }
    await notices.raise({
      key: `backup:verification-failed:${snapshot.id}`,
      title: isCorrupt ? "A snapshot is damaged" : "A snapshot is not proven",
      body: isCorrupt
        ? `${message}\n\nMake a new snapshot and verify that one. It writes again what is damaged.`
        : message,
      severity: "error",
    });
  }

  async function markDamaged(
    { path, verifiedAt }: Snapshot,
    error: unknown,
  ): Promise<void> {
    if (!isDamage(error)) return;
    const problem = toProblem(error, clock.timestamp());
    await mark(path, { verifiedAt, problem });
    // A daemon that does not start on it says nothing against what is stored.
    if (problem.code === "BACKUP_REHEARSAL_FAILED") return;
    await history.change({ rewrites: true }).catch((failure: unknown) =>
      log.warn("A damaged snapshot was not noted", {
        reason: describeError(failure),
      }),
    );
  }

  async function markWhole({
    path,
    verifiedAt,
    problem,
  }: Snapshot): Promise<void> {
    // That a daemon does not start on it is not refuted.
    if (problem && problem.code !== "BACKUP_REHEARSAL_FAILED")
      await mark(path, { verifiedAt, problem: null });
  }

  /** On a disk that is read-only it stays as it is; the result is told all the same. */
  async function mark(path: string, next: VerificationMark): Promise<void> {
    await writeMark(path, next).catch((error: unknown) =>
      log.warn("The result of a verification was not kept", {
        reason: describeError(error),
      }),
    );
  }

  return { verify, markDamaged, markWhole };
}
