import { isGantryError } from "@gantry/plugin";
import type { BackupState, Snapshot } from "../contract.ts";
import { isFromFuture } from "../snapshots/is-from-future.ts";
import { listOtherHomes } from "../snapshots/other-homes.ts";
import { toPublicSettings } from "../settings/settings-book.ts";
import type { BackupHost } from "./backup-host.ts";
import type { RestoreResults } from "./restore-results.ts";
import { toProblem } from "./to-problem.ts";

const MINUTE_MS = 60_000;

/** The part of the state that can be read at once, whatever the size of the backup. */
export type BackupStanding = Pick<
  BackupState,
  | "settings"
  | "snapshots"
  | "otherHomes"
  | "lastSnapshot"
  | "lastVerifiedAt"
  | "nextSnapshotAt"
  | "problem"
> & {
  /** Snapshots of this home that are dated in the future. */
  fromFuture: number;
};

/** How the backup stands, also while its folder cannot be reached. */
export async function readState(
  host: BackupHost,
  results: RestoreResults,
): Promise<BackupState> {
  const { fromFuture: _, ...standing } = await readStanding(host);
  return {
    ...standing,
    isEncrypted: host.settings.current.recipient !== null,
    hasKey: await isKeyHere(host),
    job: host.jobs.current,
    totalBytes: await measure(host),
    freeBytes: await host.shelf.freeBytes(),
    lastRestore: await results.last(),
  };
}

/** What of it is known without measuring anything. */
export async function readStanding(host: BackupHost): Promise<BackupStanding> {
  const { settings, history } = host;
  const now = host.clock.now();
  const { snapshots, problem } = await list(host);
  const own = snapshots.filter(({ otherHome }) => otherHome === null);
  const past = own.filter((each) => !isFromFuture(each, now));
  const dates = [
    history.value.verifiedAt,
    ...own.map(({ verifiedAt }) => verifiedAt),
  ].filter((date) => date !== null);
  return {
    settings: toPublicSettings(settings.current),
    snapshots: snapshots.length,
    otherHomes: listOtherHomes(snapshots),
    lastSnapshot: past[0] ?? null,
    fromFuture: own.length - past.length,
    lastVerifiedAt: dates.sort().at(-1) ?? null,
    nextSnapshotAt: readNext(host),
    problem: problem ?? history.value.problem,
  };
}

function readNext({ settings, schedule, clock }: BackupHost): string | null {
  const { folder, everyMinutes } = settings.current;
  if (folder === null) return null;
  const at = clock.now() + schedule.untilDue(everyMinutes);
  // That is when the schedule looks.
  return new Date(Math.ceil(at / MINUTE_MS) * MINUTE_MS).toISOString();
}

async function list({ shelf, clock }: BackupHost): Promise<{
  snapshots: readonly Snapshot[];
  problem: BackupState["problem"];
}> {
  try {
    return { snapshots: await shelf.list(), problem: null };
  } catch (error) {
    if (!isGantryError(error)) throw error;
    return { snapshots: [], problem: toProblem(error, clock.timestamp()) };
  }
}

/** A folder that cannot be reached has no size; {@link list} says what is wrong with it. */
async function measure({ shelf }: BackupHost): Promise<number> {
  try {
    return await shelf.totalBytes();
  } catch (error) {
    if (isGantryError(error)) return 0;
    throw error;
  }
}

async function isKeyHere({ settings, keys }: BackupHost): Promise<boolean> {
  const { folder, recipient } = settings.current;
  if (recipient !== null && (await keys.find(recipient)) !== undefined)
    return true;
  if (folder === null) return false;
  return (await keys.findIn(folder).catch(() => undefined)) !== undefined;
}
