import { describeError, isGantryError } from "@gantry/plugin";
import {
  RestoreBegun,
  RestoreEnded,
  type RestorePreview,
  type Snapshot,
} from "../contract.ts";
import { errors } from "../errors.ts";
import type { Job } from "../jobs/job-runner.ts";
import { createTurns } from "../jobs/turns.ts";
import { pluginOf, previewRestore } from "../preview/preview-restore.ts";
import type { RestoreAnswer, RestoreInput } from "../routes/inputs.ts";
import type { BackupHost } from "./backup-host.ts";
import { chooseParts } from "./choose-parts.ts";
import { makeProvenSnapshot } from "./make-proven-snapshot.ts";
import { openForReading } from "./open-for-reading.ts";
import { refuseNewer } from "./refuse-newer.ts";
import {
  restoreSnapshot,
  type RestoreNote,
  type SafetyContent,
  type SafetySnapshot,
} from "./restore-snapshot.ts";
import type { RestoreResults } from "./restore-results.ts";
import type { SnapshotWork } from "./snapshot-work.ts";
import type { VerificationWork } from "./verification-work.ts";

/** Plugins that close agents when they stop. */
const AGENT_PLUGINS: readonly string[] = ["agents", "automations"];

/** Restores snapshots, or tells what that would do. */
export interface RestoreWork {
  /**
   * Restores a snapshot as a part of a job. Once it resolves the daemon may stop at any moment.
   *
   * @throws BACKUP_BUSY while a run of an automation has not ended that it would cut off, BACKUP_ONLY_UNKNOWN, and what opening
   *   and restoring a snapshot throws; nothing is changed then
   */
  restore(
    job: Job,
    snapshot: Snapshot,
    input: RestoreInput,
  ): Promise<Exclude<RestoreAnswer, { preview: unknown }>>;
  /**
   * One at a time.
   *
   * @param signal The caller's; no other caller shares the preview.
   */
  preview(
    snapshot: Snapshot,
    input: RestoreInput,
    signal: AbortSignal,
  ): Promise<RestorePreview>;
}

/** Dependencies of {@link createRestoreWork}. */
export interface RestoreHost extends BackupHost {
  snapshots: SnapshotWork;
  verifications: VerificationWork;
  results: RestoreResults;
}

export function createRestoreWork(host: RestoreHost): RestoreWork {
  const { home, signal, keys, prepare, verifications, results } = host;

  const previews = createTurns();

  async function open(
    snapshot: Snapshot,
    { passphrase, only: parts }: RestoreInput,
    caller: AbortSignal,
  ) {
    const reader = await openForReading({
      folder: host.settings.current.folder ?? "",
      ...{ snapshot, keys, passphrase, signal: caller },
    });
    const only = chooseParts(reader.manifest, parts);
    await refuseNewer(reader, home, only, caller);
    return { reader, only };
  }

  async function restore(
    job: Job,
    snapshot: Snapshot,
    input: RestoreInput,
  ): Promise<Exclude<RestoreAnswer, { preview: unknown }>> {
    const { keepsSessions } = input;
    const staged: { note?: RestoreNote } = {};
    let unsafe: unknown;
    let answer: Exclude<RestoreAnswer, { preview: unknown }>;
    try {
      const { reader, only } = await open(snapshot, input, job.signal);
      await refuseWhileRunning(only);
      const { safetySnapshotId } = await restoreSnapshot({
        ...{ reader, home, only, keepsSessions },
        // Under the keys that they have in the store.
        toOwnRecords: () => ({
          settings: host.settings.current,
          history: host.history.value,
        }),
        makeSafetySnapshot: (what) =>
          prepare(() => makeSafetySnapshot(job, what)).catch(
            (error: unknown) => {
              unsafe = error;
              throw error;
            },
          ),
        async onStaged() {
          await refuseWhileRunning(only);
          if (!only) await prepare(() => verifications.markWhole(snapshot));
        },
        async onSafe(note) {
          await begin(note);
          staged.note = note;
        },
        signal: job.signal,
        update: (progress) => job.update(progress),
      });
      if (only) await prepare(() => results.tell());
      answer = { ok: true, safetySnapshotId, restarts: !only };
    } catch (error) {
      if (signal.aborted) throw error;
      // What is wrong with the snapshot of what is there says nothing of the one that was to be restored.
      if (error !== unsafe)
        await prepare(() => verifications.markDamaged(snapshot, error));
      if (!staged.note) throw error;
      await end(staged.note, describeError(error));
      const reason = isGantryError(error)
        ? error.message
        : `${snapshot.id} was not put in place: ${describeError(error)}`;
      throw errors.BACKUP_RESTORE_FAILED({ reason }, { cause: error });
    }
    if (!answer.restarts)
      await expectMerged(snapshot.id, answer.safetySnapshotId);
    return answer;
  }

  /** A merge is over when it was carried out, also if that failed and all was taken back. If it is not, the next start continues it. */
  async function expectMerged(
    id: string,
    safetySnapshotId: string | null,
  ): Promise<void> {
    const last = await results.last();
    if (last?.safetySnapshotId !== safetySnapshotId)
      throw errors.BACKUP_RESTORE_UNFINISHED({ id });
    if (last.failure !== null)
      throw errors.BACKUP_RESTORE_FAILED({ reason: last.failure });
  }

  function makeSafetySnapshot(
    job: Job,
    { proven, needsConversations }: SafetyContent,
  ): Promise<SafetySnapshot> {
    return makeProvenSnapshot({
      folder: host.settings.current.folder ?? "",
      ...{ keys, proven, signal: job.signal },
      make: (rewrites, onLeftOut) =>
        host.snapshots.make(job, "safety", {
          rewrites: rewrites || undefined,
          needsConversations,
          onLeftOut,
        }),
      onDamaged: verifications.markDamaged,
    });
  }

  async function begin({ snapshotId, only }: RestoreNote): Promise<void> {
    await host.audit("backup.restore-begun", {
      snapshot: snapshotId,
      only: only?.join(", ") ?? "everything",
    });
    await host.emit(RestoreBegun.of(snapshotId, { only }));
  }

  async function end(
    { snapshotId, only }: RestoreNote,
    failure: string,
  ): Promise<void> {
    await host.audit("backup.restore-failed", {
      snapshot: snapshotId,
      failure,
    });
    await host.emit(RestoreEnded.of(snapshotId, { only, failure }));
  }

  /** A run that is cut off has failed; a restore can wait for its end. */
  async function refuseWhileRunning(only: string[] | undefined): Promise<void> {
    if (!closesAgents(only)) return;
    const running = await host.activity()?.activeRuns({}, signal);
    const [run] = running?.items ?? [];
    if (!run) return;
    throw errors.BACKUP_BUSY({
      kind: `run of the automation "${run.automationName}"`,
      since: run.startedAt ?? "just now",
    });
  }

  async function preview(
    snapshot: Snapshot,
    input: RestoreInput,
    caller: AbortSignal,
  ): Promise<RestorePreview> {
    const { reader, only } = await open(snapshot, input, caller);
    const effects = await previewRestore({
      ...{ reader, home, only },
      signal: caller,
    });
    const agents = closesAgents(only)
      ? await host.directory()?.list({ state: "open" }, caller)
      : undefined;
    return {
      snapshot,
      ...effects,
      only: only ?? null,
      closesAgents: agents?.items.length ?? 0,
      notes: restoresAgents(only) ? [CLI_RECORDS_NOTE] : [],
    };
  }

  return {
    restore,
    preview(snapshot, input, caller) {
      const both = AbortSignal.any([caller, signal]);
      // Each reads the snapshot and the store; many at once would take all memory and time.
      return previews.take(() => preview(snapshot, input, both), both);
    },
  };
}

const CLI_RECORDS_NOTE =
  "The CLIs' own records of conversations are not in a snapshot. An agent whose CLI has no record of its conversation on this machine starts again, without memory of it; its page says so before you send a message.";

function restoresAgents(only: readonly string[] | undefined): boolean {
  return !only || only.some((part) => pluginOf(part) === "agents");
}

function closesAgents(only: readonly string[] | undefined): boolean {
  return !only || only.some((part) => AGENT_PLUGINS.includes(pluginOf(part)));
}
