import { isIdentifier } from "@gantry/plugin";
import { deleteSnapshot } from "../archive/delete-snapshot.ts";
import { SnapshotDeleted, type Snapshot } from "../contract.ts";
import { errors } from "../errors.ts";
import { toBusy, type Job } from "../jobs/job-runner.ts";
import type {
  NowAnswer,
  NowInput,
  RestoreAnswer,
  RestoreInput,
} from "../routes/inputs.ts";
import { isFromFuture } from "../snapshots/is-from-future.ts";
import type { BackupHost } from "./backup-host.ts";
import {
  createRestoreResults,
  type RestoreResults,
} from "./restore-results.ts";
import { createRestoreWork } from "./restore-work.ts";
import { createSnapshotWork } from "./snapshot-work.ts";
import { createVerificationWork } from "./verification-work.ts";

/** All that can be done with snapshots. */
export interface Backups {
  readonly results: RestoreResults;
  /** Makes a snapshot and verifies it if asked to, or verifies the one with `id`. */
  now(input: NowInput): Promise<NowAnswer>;
  /** @param caller Aborts a preview; a restore continues. */
  restore(input: RestoreInput, caller: AbortSignal): Promise<RestoreAnswer>;
  /** @throws BACKUP_LAST_GOOD without `confirm`, BACKUP_BUSY, BACKUP_SNAPSHOT_NOT_FOUND */
  remove(id: string, confirm: boolean): Promise<void>;
  /** Makes a snapshot if one is due. Rejects never. */
  tick(): Promise<void>;
  /** Removes what interrupted snapshots left. Rejects never. */
  collect(): Promise<void>;
}

export function createBackups(host: BackupHost): Backups {
  const { clock, jobs, shelf, settings, schedule, log } = host;
  const snapshots = createSnapshotWork(host);
  const verifications = createVerificationWork(host);
  const results = createRestoreResults(host);
  const restores = createRestoreWork({
    ...host,
    ...{ snapshots, verifications, results },
  });

  const find = (id: string): Promise<Snapshot> => {
    if (!isIdentifier("snap", id))
      throw errors.BACKUP_SNAPSHOT_NOT_FOUND({ id });
    return shelf.find(id);
  };

  async function verifyOne(
    id: string,
    passphrase: string | undefined,
  ): Promise<NowAnswer> {
    const found = await find(id);
    const verified = await jobs.run("verification", id, (job) =>
      verifications.verify(job, found, passphrase),
    );
    return { snapshot: await find(id), verified };
  }

  async function makeOne(
    job: Job,
    { verify, passphrase }: NowInput,
  ): Promise<NowAnswer> {
    const snapshot = await snapshots.make(job, "manual");
    if (!verify) return { snapshot, verified: null };
    job.update({ snapshotId: snapshot.id, step: "checking" });
    const verified = await verifications.verify(job, snapshot, passphrase);
    return { snapshot: await find(snapshot.id), verified };
  }

  return {
    results,
    collect: () => snapshots.collect(),
    async now(input) {
      if (input.id !== undefined)
        return await verifyOne(input.id, input.passphrase);
      if (settings.current.folder === null)
        throw errors.BACKUP_FOLDER_MISSING();
      return await jobs.run("snapshot", null, (job) => makeOne(job, input));
    },
    async restore(input, caller) {
      const found = await find(input.id);
      if (input.preview)
        return { preview: await restores.preview(found, input, caller) };
      return await jobs.run("restore", found.id, (job) =>
        restores.restore(job, found, input),
      );
    },
    async remove(id, confirm) {
      const { path, problem, otherHome } = await shelf.find(id);
      const job = jobs.current;
      if (job?.snapshotId === id) throw toBusy(job);
      const newestGood = (await shelf.list()).find(
        (snapshot) =>
          snapshot.problem === null &&
          snapshot.otherHome === otherHome &&
          !isFromFuture(snapshot, clock.now()),
      );
      if (!confirm && problem === null && newestGood?.id === id)
        throw errors.BACKUP_LAST_GOOD({ id });
      await deleteSnapshot(path);
      await host.emit(SnapshotDeleted.of(id, { reason: "asked" }));
      shelf.removed();
      await snapshots.collect();
    },
    async tick() {
      const { folder, everyMinutes } = settings.current;
      if (folder === null || jobs.current) return;
      if (schedule.untilDue(everyMinutes) > 0) return;
      try {
        await jobs.run("snapshot", null, (job) =>
          snapshots.make(job, "scheduled"),
        );
      } catch (error) {
        // It is recorded, shown, and tried again; here it is for who reads the log.
        if (!host.signal.aborted)
          log.warn("A scheduled snapshot failed", { reason: String(error) });
      }
    },
  };
}
