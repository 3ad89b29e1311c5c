import type { Clock, Finding } from "@gantry/plugin";
import { describeOtherHomes } from "./snapshots/other-homes.ts";
import type { BackupStanding } from "./work/read-state.ts";

const HOUR_MS = 60 * 60_000;
/** A snapshot may take a while, and be tried again. */
const MIN_OVERDUE_MS = 2 * HOUR_MS;
/** So many periods may pass before it is a finding. */
const MAX_PERIODS = 3;
/** A snapshot was restored on trial within that time, or should be. */
const MAX_UNVERIFIED_MS = 60 * 24 * HOUR_MS;

/** What is not as it should be with the backup, for the doctor. */
export function diagnoseBackup(
  state: BackupStanding,
  clock: Pick<Clock, "now">,
): Finding[] {
  if (state.settings.folder === null)
    return [
      {
        severity: "low",
        code: "BACKUP_NOT_SET_UP",
        what: "Nothing is backed up, since no folder is chosen for snapshots.",
        fix: "Choose one on the page Backup, or with PUT /api/backup.",
      },
    ];
  return [
    ...findFailure(state),
    ...findOtherHomes(state),
    ...findOverdue(state, clock.now()),
    ...findUnverified(state, clock.now()),
  ];
}

function findFailure({ problem }: BackupStanding): Finding[] {
  if (!problem) return [];
  return [
    {
      severity: "high",
      code: "BACKUP_FAILED",
      what: `The backup failed at ${problem.at}: ${problem.message}`.slice(
        0,
        500,
      ),
      fix: "Put right what it says; the next snapshot is then made by itself.",
    },
  ];
}

function findOtherHomes({ otherHomes }: BackupStanding): Finding[] {
  const what = describeOtherHomes(otherHomes)?.slice(0, 500);
  if (what === undefined) return [];
  return [
    {
      severity: "low",
      code: "BACKUP_FOLDER_SHARED",
      what,
      fix: "Choose another folder on the page Backup, or with PUT /api/backup; if the other home is gone, delete its snapshots on the page.",
    },
  ];
}

function findOverdue(
  { lastSnapshot, settings, fromFuture, problem }: BackupStanding,
  now: number,
): Finding[] {
  if (problem) return [];
  const overdue = (standing: string, check = ""): Finding => ({
    severity: "medium",
    code: "BACKUP_OVERDUE",
    what: `${standing}, though one is to be made every ${settings.everyMinutes} minutes.`,
    fix: `${check}Make one with POST /api/backup/now, and look at the log of the daemon if that fails.`,
  });
  if (!lastSnapshot) {
    if (fromFuture === 0) return [];
    const standing =
      fromFuture === 1
        ? "The only snapshot of this home is dated in the future"
        : `All ${fromFuture} snapshots of this home are dated in the future`;
    return [overdue(standing, "Check the clock of this computer. ")];
  }
  const allowedMs = Math.max(
    MIN_OVERDUE_MS,
    MAX_PERIODS * settings.everyMinutes * 60_000,
  );
  if (now - Date.parse(lastSnapshot.createdAt) <= allowedMs) return [];
  return [overdue(`The newest snapshot is of ${lastSnapshot.createdAt}`)];
}

function findUnverified(
  { lastSnapshot, lastVerifiedAt }: BackupStanding,
  now: number,
): Finding[] {
  if (!lastSnapshot) return [];
  const isRecent =
    lastVerifiedAt !== null &&
    now - Date.parse(lastVerifiedAt) <= MAX_UNVERIFIED_MS;
  if (isRecent) return [];
  return [
    {
      severity: "low",
      code: lastVerifiedAt ? "BACKUP_VERIFICATION_OLD" : "BACKUP_NOT_VERIFIED",
      what: lastVerifiedAt
        ? `No snapshot was restored on trial since ${lastVerifiedAt}.`
        : "No snapshot was ever restored on trial, so it is not known whether one can be.",
      fix: 'Verify one on the page Backup, or with POST /api/backup/now {"verify": true}.',
    },
  ];
}
