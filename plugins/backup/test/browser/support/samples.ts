import type { BackupState, Snapshot } from "../../../src/contract.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const parts: Snapshot["parts"] = [
  { name: "agents", records: 5_210, files: 148, bytes: 812_400_000 },
  { name: "agents:agent", records: 19, files: 0, bytes: 31_000 },
  { name: "agents:task", records: 1_204, files: 0, bytes: 1_900_000 },
  { name: "agents:turn", records: 3_987, files: 0, bytes: 2_400_000 },
  { name: "automations", records: 431, files: 0, bytes: 690_000 },
  { name: "automations:automation", records: 10, files: 0, bytes: 24_000 },
  { name: "automations:run", records: 421, files: 0, bytes: 666_000 },
  { name: "inbox", records: 212, files: 0, bytes: 310_000 },
  { name: "inbox:item", records: 212, files: 0, bytes: 310_000 },
  { name: "snippets", records: 24, files: 0, bytes: 18_000 },
  { name: "snippets:snippet", records: 24, files: 0, bytes: 18_000 },
];

/** A good snapshot, as a user may have it after a year with Gantry. */
export function toSnapshot(
  fields: Partial<Snapshot> & Pick<Snapshot, "createdAt">,
  number = 0,
): Snapshot {
  const letters = number.toString(26).replaceAll(/./g, toLetter);
  const id = `snap_${letters.padStart(24, "a")}`;
  return {
    id,
    path: `/media/ada/Disk/gantry-backup/${fields.createdAt.replaceAll(/[:.]/g, "-")}`,
    reason: "scheduled",
    ownBytes: 3_400_000,
    contentBytes: 816_000_000,
    records: 5_877,
    files: 148,
    parts,
    leftOut: 2,
    isEncrypted: false,
    hasTranscripts: true,
    hasSecrets: false,
    gantryVersion: "0.9.2",
    plugins: { agents: "0.1.0", automations: "0.1.0", snippets: "0.1.0" },
    standing: standingOf(fields),
    verifiedAt: null,
    problem: null,
    otherHome: null,
    ...fields,
  };
}

function standingOf({
  problem,
  verifiedAt,
}: Partial<Snapshot>): Snapshot["standing"] {
  if (problem)
    return problem.code === "BACKUP_SNAPSHOT_CORRUPT"
      ? "damaged"
      : "not-proven";
  return verifiedAt ? "proven" : "not-proven";
}

const toLetter = (digit: string) =>
  String.fromCharCode(97 + Number.parseInt(digit, 26));

/** Snapshots as the schedule makes and keeps them: hourly for a day, then daily. The newest first. */
export function toHistory(now: number, days = 30): Snapshot[] {
  const hours = Array.from({ length: 24 }, (_, index) => index * 60 + 12);
  const older = Array.from({ length: days }, (_, index) => (index + 1) * 1440);
  return [...hours, ...older].map((minutes, index) => {
    const isDaily = minutes >= 1440;
    const createdAt = new Date(now - minutes * MINUTE_MS).toISOString();
    return toSnapshot(
      {
        createdAt,
        reason: index === 2 ? "manual" : index === 5 ? "safety" : "scheduled",
        ownBytes: isDaily
          ? 24_000_000 + ((index * 37) % 11) * 4_100_000
          : 900_000 + ((index * 53) % 7) * 640_000,
        contentBytes: 816_000_000 - minutes * 9_000,
        verifiedAt:
          index === 0 || index === 25
            ? new Date(now - DAY_MS * 2).toISOString()
            : null,
        problem:
          index === 7
            ? {
                code: "BACKUP_SNAPSHOT_CORRUPT",
                message:
                  "The snapshot is damaged: agents.tar.zst does not have the digest that its manifest says.",
                at: createdAt,
              }
            : null,
      },
      index,
    );
  });
}

/** The state before the user has chosen a folder. */
export const emptyState: BackupState = {
  settings: {
    folder: null,
    everyMinutes: 60,
    keepDays: 30,
    keepsWeekly: true,
    includeTranscripts: true,
    includeSecrets: false,
  },
  isEncrypted: false,
  hasKey: false,
  job: null,
  snapshots: 0,
  otherHomes: [],
  totalBytes: 0,
  freeBytes: null,
  lastSnapshot: null,
  lastVerifiedAt: null,
  nextSnapshotAt: null,
  problem: null,
  lastRestore: null,
};
