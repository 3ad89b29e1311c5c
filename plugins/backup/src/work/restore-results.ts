import { describeError, type ReplacementResult } from "@gantry/plugin";
import * as z from "zod";
import { readHomeMark } from "../archive/home-mark.ts";
import { RestoreEnded, type BackupState } from "../contract.ts";
import type { BackupHost } from "./backup-host.ts";

const restoreNote = z.object({
  snapshotId: z.string(),
  only: z.array(z.string()).nullable(),
  safetySnapshotId: z.string().nullable(),
});

/** Results of restores, which end while the plugin is stopped. */
export interface RestoreResults {
  /** The newest one; `null` if there was none. */
  last(): Promise<BackupState["lastRestore"]>;
  /** Reports the newest one once: by an event, in the audit log and, if it failed, in the Inbox. Never rejects. */
  tell(): Promise<void>;
}

export function createRestoreResults(
  host: Pick<
    BackupHost,
    | "home"
    | "history"
    | "notices"
    | "audit"
    | "log"
    | "signal"
    | "shelf"
    | "identity"
  >,
): RestoreResults {
  const { home, history, notices } = host;

  async function last(): Promise<BackupState["lastRestore"]> {
    const result = await home.lastReplacement();
    return result ? toRestore(result) : null;
  }

  /** After a whole restore the past of the home that made the snapshot is the past of this one. */
  async function adopt(snapshotId: string, at: string): Promise<void> {
    const snapshots = await host.shelf.list().catch(() => []);
    const restored = snapshots.find(({ id }) => id === snapshotId);
    const madeBy = restored && (await readHomeMark(restored.path));
    if (!madeBy) return;
    const { createdAt } = restored;
    await host.identity.adopt(madeBy, createdAt > at ? createdAt : at);
  }

  async function tell(): Promise<void> {
    const restore = await last();
    if (!restore || restore.at === history.value.toldRestoreAt) return;
    const { at, snapshotId, only, failure } = restore;
    if (only === null && failure === null) await adopt(snapshotId, at);
    await history.change({ toldRestoreAt: at }, [
      RestoreEnded.of(snapshotId, { only, failure }),
    ]);
    await host.audit(
      failure === null ? "backup.restore-ended" : "backup.restore-failed",
      {
        snapshot: snapshotId,
        only: only?.join(", ") ?? "everything",
        ...(failure === null ? {} : { failure }),
      },
    );
    if (failure !== null)
      await notices.raise({
        key: `backup:restore-failed:${at}`,
        title: "A restore failed",
        body: `${failure}\n\nYour data is as it was before the restore.`,
        severity: "error",
      });
  }

  let telling: Promise<unknown> = Promise.resolve();
  return {
    last,
    async tell() {
      // One after the other, so that none is told twice.
      const told = telling.then(tell).catch((error: unknown) => {
        // The next start tells.
        if (!host.signal.aborted)
          host.log.warn("A restore was not reported", {
            reason: describeError(error),
          });
      });
      telling = told;
      await told;
    },
  };
}

/** Another plugin may have replaced the home, with a note of its own. */
function toRestore({
  at,
  note,
  failure,
}: ReplacementResult): BackupState["lastRestore"] {
  const { data } = restoreNote.safeParse(note);
  return data ? { at, ...data, failure } : null;
}
