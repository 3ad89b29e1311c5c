import { isGantryError } from "@gantry/plugin";
import type { BackupState, Snapshot } from "../contract.ts";
import { toPublicSettings } from "../settings/settings-book.ts";
import type { BackupHost } from "./backup-host.ts";
import type { RestoreResults } from "./restore-results.ts";
import { toProblem } from "./to-problem.ts";

/** How the backup stands, also while its folder cannot be reached. */
export async function readState(
  host: BackupHost,
  results: RestoreResults,
): Promise<BackupState> {
  const { settings, history, schedule, shelf, jobs, clock } = host;
  const { folder, recipient, everyMinutes } = settings.current;
  const found = await lookIntoFolder(host);
  const [newest] = found.snapshots;
  const dates = [
    history.value.verifiedAt,
    ...found.snapshots.map(({ verifiedAt }) => verifiedAt),
  ].filter((date) => date !== null);
  return {
    settings: toPublicSettings(settings.current),
    isEncrypted: recipient !== null,
    hasKey: await isKeyHere(host),
    job: jobs.current,
    snapshots: found.snapshots.length,
    totalBytes: found.totalBytes,
    freeBytes: await shelf.freeBytes(),
    lastSnapshot: newest ?? null,
    lastVerifiedAt: dates.sort().at(-1) ?? null,
    nextSnapshotAt:
      folder === null
        ? null
        : new Date(clock.now() + schedule.untilDue(everyMinutes)).toISOString(),
    problem: found.problem ?? history.value.problem,
    lastRestore: await results.last(),
  };
}

async function lookIntoFolder({ shelf, clock }: BackupHost): Promise<{
  snapshots: readonly Snapshot[];
  totalBytes: number;
  problem: BackupState["problem"];
}> {
  try {
    const snapshots = await shelf.list();
    const totalBytes = await shelf.totalBytes();
    return { snapshots, totalBytes, problem: null };
  } catch (error) {
    if (!isGantryError(error)) throw error;
    const problem = toProblem(error, clock.timestamp());
    return { snapshots: [], totalBytes: 0, problem };
  }
}

async function isKeyHere({ settings, keys }: BackupHost): Promise<boolean> {
  const { folder, recipient } = settings.current;
  if (recipient !== null && (await keys.find(recipient)) !== undefined)
    return true;
  if (folder === null) return false;
  return (await keys.findIn(folder).catch(() => undefined)) !== undefined;
}
