import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { WholeHome } from "@gantry/plugin";
import { hasConversations } from "../archive/conversation-folders.ts";
import type { SnapshotReader } from "../archive/open-snapshot.ts";
import { ProvenFiles } from "../archive/proven-files.ts";
import { codeOf } from "../archive/refusals.ts";
import type { JobProgress } from "../jobs/job-runner.ts";
import { keepInPlace } from "./keep-in-place.ts";
import { keepOwnRecords, type OwnRecords } from "./keep-own-records.ts";
import { refuseConflicts } from "./refuse-conflicts.ts";

const CONFIG_FILE = "config.json";

/** What is reported about a replacement of the home when it is over. */
export interface RestoreNote {
  snapshotId: string;
  only: string[] | null;
  safetySnapshotId: string | null;
}

/** What a restore needs a safety snapshot to have. */
export interface SafetyContent {
  /** Need not be read back. */
  proven: ProvenFiles;
  /** Conversations are replaced, so that it has to have them even if none are to be backed up. */
  needsConversations: boolean;
}

/** The snapshot of what was there before a restore. */
export interface SafetySnapshot {
  id: string;
  /** What it could not hold, relative to the folder of all plugins. */
  leftOut: readonly string[];
}

/** What is restored, and how. */
export interface RestoreOrder {
  reader: SnapshotReader;
  home: WholeHome;
  /** Names of parts to merge; `undefined` for all, in place of what is there. */
  only: string[] | undefined;
  keepsSessions: boolean;
  /** Of a whole restore: what this plugin is to find afterwards. */
  toOwnRecords(staged: OwnRecords): OwnRecords;
  /** Makes a snapshot of what is there; `null` if nothing is. */
  makeSafetySnapshot(what: SafetyContent): Promise<SafetySnapshot | null>;
  /** Called when all is staged, right before other plugins stop. What it rejects with ends the restore. */
  onStaged?(): Promise<void>;
  /** Called when the safety snapshot is made, right before all is put in place. What it rejects with ends the restore. */
  onSafe?(note: RestoreNote): Promise<void>;
  signal: AbortSignal;
  update(progress: JobProgress): void;
}

/**
 * Restores a snapshot. All of it is compared with its digests before anything is touched; nothing is changed if it fails. When it
 * resolves, the snapshot comes into place whatever happens.
 *
 * @throws BACKUP_PATH_TAKEN, what reading a snapshot throws, and what the callbacks and the home reject with
 */
export async function restoreSnapshot(
  order: RestoreOrder,
): Promise<RestoreNote> {
  const { reader, home, only, keepsSessions, signal, update } = order;
  const currentConfig = await readConfig(home.folder);
  const note: RestoreNote = {
    snapshotId: reader.manifest.id,
    only: only ?? null,
    safetySnapshotId: null,
  };
  const proven = new ProvenFiles();
  const needsConversations =
    reader.manifest.hasTranscripts && (!only || only.some(hasConversations));
  update({ step: "staging", doneBytes: 0, totalBytes: null });
  const stage = await home.stage();
  try {
    await reader.extract(stage, {
      parts: only,
      proven,
      currentConfig,
      // Parts come without the files of the home.
      checkConfig: only ? undefined : (text) => home.checkConfig(text),
      signal,
      onProgress: (progress) => update({ ...progress, step: "staging" }),
    });
    const keepOwn = async () => {
      if (!only) await keepOwnRecords(stage, (was) => order.toOwnRecords(was));
    };
    await keepOwn();
    if (only) await refuseConflicts(reader, home, only, signal);
    await order.onStaged?.();
    signal.throwIfAborted();
    await home.replace({
      stage,
      mode: only ? "merge" : "replace",
      keepsSessions: keepsSessions || only !== undefined,
      note,
      // All writers of what is replaced are stopped, so the safety snapshot has every acknowledged change.
      async beforeReplacing() {
        update({ step: "safety-snapshot", doneBytes: 0, totalBytes: null });
        const safety = await order.makeSafetySnapshot({
          proven,
          needsConversations,
        });
        note.safetySnapshotId = safety?.id ?? null;
        // Not before: what plugins write until they have stopped stays as well.
        const unheld = safety?.leftOut;
        if (!only) await keepInPlace({ reader, home, stage, unheld, signal });
        await order.onSafe?.(note);
        signal.throwIfAborted();
        update({ step: "replacing" });
        // They have changed since they were staged.
        await keepOwn();
        return note;
      },
    });
  } catch (error) {
    await rm(stage, { recursive: true, force: true });
    throw error;
  }
  return note;
}

async function readConfig(home: string): Promise<string | undefined> {
  try {
    return await readFile(join(home, CONFIG_FILE), "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
