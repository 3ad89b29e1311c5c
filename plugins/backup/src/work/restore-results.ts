import { describeError, type ReplacementResult } from "@gantry/plugin";
import * as z from "zod";
import { RestoreEnded, type BackupState } from "../contract.ts";
import type { BackupHost } from "./backup-host.ts";

const restoreNote = z.object({
  snapshotId: z.string(),
  only: z.array(z.string()).nullable(),
  safetySnapshotId: z.string().nullable(),
});

/** What became of restores, which end while the plugin is down. */
export interface RestoreResults {
  /** The newest one; `null` if there was none. */
  last(): Promise<BackupState["lastRestore"]>;
  /** Reports the newest one by an event, in the audit log and, if it failed, in the Inbox; once. Never rejects. */
  tell(): Promise<void>;
}

export function createRestoreResults(
  host: Pick<
    BackupHost,
    "home" | "history" | "notices" | "audit" | "log" | "signal"
  >,
): RestoreResults {
  const { home, history, notices } = host;

  async function last(): Promise<BackupState["lastRestore"]> {
    const result = await home.lastReplacement();
    return result ? toRestore(result) : null;
  }

  async function tell(): Promise<void> {
    const restore = await last();
    if (!restore || restore.at === history.value.toldRestoreAt) return;
    const { at, snapshotId, only, failure } = restore;
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
      // One after the other, so that none is reported twice.
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
