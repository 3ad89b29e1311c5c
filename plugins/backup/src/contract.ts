import { defineEvent } from "@gantry/plugin";
import { timestamp } from "@gantry/plugin/zod";
import * as z from "zod";

/** How and where snapshots are made. */
export const backupSettings = z.object({
  /** Absolute path; the snapshots are in `gantry-backup` below it. `null` until one is chosen: then nothing is backed up. */
  folder: z.string().nullable(),
  /** Minutes from one scheduled snapshot to the next. */
  everyMinutes: z.int(),
  /** Number of days for which one snapshot a day is kept. All snapshots of the last day are kept. */
  keepDays: z.int(),
  /** Of what is older than that, one of each week is kept. */
  keepsWeekly: z.boolean(),
  /**
   * Whether conversations and attachments of agents are copied. Without them, records still hold some of their text: tasks, last
   * messages and notes of agents, runs of automations, and items of the Inbox.
   */
  includeTranscripts: z.boolean(),
  /** Whether the install token, the certificate and secrets in `config.json` are copied. Only into encrypted snapshots. */
  includeSecrets: z.boolean(),
});
export type BackupSettings = z.infer<typeof backupSettings>;

/** Work on a snapshot, from its beginning to its end. */
export const backupJob = z.object({
  kind: z.enum(["snapshot", "verification", "restore"]),
  /** The snapshot; `null` while it has no id yet. */
  snapshotId: z.string().nullable(),
  step: z.enum([
    "reading",
    "writing",
    "checking",
    "safety-snapshot",
    "staging",
    "rehearsing",
    "replacing",
  ]),
  startedAt: timestamp,
  doneBytes: z.number(),
  /** An estimate until all is known; `null` if there is none. */
  totalBytes: z.number().nullable(),
});
export type BackupJob = z.infer<typeof backupJob>;

/** Something that is wrong, in the words of the error table. */
export const backupProblem = z.object({
  code: z.string(),
  message: z.string(),
  at: timestamp,
});
export type BackupProblem = z.infer<typeof backupProblem>;

/** One thing that a snapshot can bring back alone: what one plugin stores, or one kind of its records. */
export const snapshotPart = z.object({
  /** As `only` of a restore takes it: `snippets`, or `automations:run`. */
  name: z.string(),
  records: z.int(),
  files: z.int(),
  bytes: z.number(),
});
export type SnapshotPart = z.infer<typeof snapshotPart>;

/** One snapshot. */
export const snapshot = z.object({
  id: z.string(),
  createdAt: timestamp,
  /** Absolute path of its folder. */
  path: z.string(),
  /** `scheduled`, by hand, or taken before a restore. */
  reason: z.enum(["scheduled", "manual", "safety"]),
  /** What it added to the backup folder. */
  ownBytes: z.number(),
  /** Of all that it holds, before compression. */
  contentBytes: z.number(),
  records: z.int(),
  files: z.int(),
  parts: z.array(snapshotPart),
  /** How many files could not be copied, and links, folders and others that no snapshot holds. */
  leftOut: z.int(),
  isEncrypted: z.boolean(),
  hasTranscripts: z.boolean(),
  hasSecrets: z.boolean(),
  /** Versions of the daemon and of its plugins. */
  gantryVersion: z.string(),
  plugins: z.record(z.string(), z.string()),
  /**
   * `proven` by a restore on trial, `damaged` if it is not what was written, or `not-proven`: it was not tried yet, or its
   * `problem` says why it could not be.
   */
  standing: z.enum(["proven", "not-proven", "damaged"]),
  /** When it was last restored on trial and found whole; `null` if never. */
  verifiedAt: timestamp.nullable(),
  /** What is wrong with it; `null` if nothing is known to be. */
  problem: backupProblem.nullable(),
  /** Host and folder of the home that made it; `null` for this one, and where it is not known. */
  otherHome: z.string().nullable(),
});
export type Snapshot = z.infer<typeof snapshot>;

/** Another home that has snapshots in the same folder. */
export const otherHome = z.object({
  /** Its host and folder. */
  name: z.string(),
  snapshots: z.int(),
  lastSnapshotAt: timestamp,
});
export type OtherHome = z.infer<typeof otherHome>;

/** How the backup stands. */
export const backupState = z.object({
  settings: backupSettings,
  isEncrypted: z.boolean(),
  /** Whether the key of encrypted snapshots is on this machine, so that no passphrase is asked for. */
  hasKey: z.boolean(),
  /** What is being done; `null` if nothing is. */
  job: backupJob.nullable(),
  /** How many are in the folder. */
  snapshots: z.int(),
  /** Whose snapshots are in the folder too. They are never deleted by themselves; each home is to have a folder of its own. */
  otherHomes: z.array(otherHome),
  /** Of all that is in the backup folder. */
  totalBytes: z.number(),
  /** Free on its disk; `null` if that is not known. */
  freeBytes: z.number().nullable(),
  /** Of this home. */
  lastSnapshot: snapshot.nullable(),
  lastVerifiedAt: timestamp.nullable(),
  nextSnapshotAt: timestamp.nullable(),
  /** Why the last scheduled or requested snapshot or verification failed; `null` after one that did not. */
  problem: backupProblem.nullable(),
  /** The newest restore; `null` if there was none. */
  lastRestore: z
    .object({
      at: timestamp,
      snapshotId: z.string(),
      only: z.array(z.string()).nullable(),
      safetySnapshotId: z.string().nullable(),
      failure: z.string().nullable(),
    })
    .nullable(),
});
export type BackupState = z.infer<typeof backupState>;

/** What a restore would do to records or files of one part. */
export const restorePart = z.object({
  name: z.string(),
  added: z.int(),
  changed: z.int(),
  /** The same in both, or only here and left alone. With a whole restore, what is only here goes. */
  left: z.int(),
  removed: z.int(),
  /** The first hundred that are added or changed, as people know them where a title or name is stored. */
  examples: z.array(
    z.object({
      id: z.string(),
      title: z.string().nullable(),
      change: z.enum(["added", "changed", "removed"]),
    }),
  ),
});
export type RestorePart = z.infer<typeof restorePart>;

/** What a restore would do. */
export const restorePreview = z.object({
  snapshot,
  only: z.array(z.string()).nullable(),
  parts: z.array(restorePart),
  /** Pipes, links that lead elsewhere, files that cannot be read and other things in folders of plugins that no snapshot holds; they stay. */
  unsaved: z.int(),
  /** Agents that are running now and would be closed. */
  closesAgents: z.int(),
  /** What a snapshot cannot bring back, in whole sentences. */
  notes: z.array(z.string()),
});
export type RestorePreview = z.infer<typeof restorePreview>;

export const BackupProgressed = defineEvent<BackupJob>(
  "backup.job-progressed",
  "Work on a snapshot continues; at most once a second.",
);
export const SnapshotMade = defineEvent<{ ownBytes: number; reason: string }>(
  "backup.snapshot-made",
  "A snapshot is whole.",
);
export const SnapshotFailed = defineEvent<{ code: string; message: string }>(
  "backup.snapshot-failed",
  "A snapshot could not be made; nothing of it is left.",
);
export const SnapshotDeleted = defineEvent<{ reason: "asked" | "retention" }>(
  "backup.snapshot-deleted",
  "A snapshot was deleted.",
);
export const SnapshotVerified = defineEvent<{ records: number; files: number }>(
  "backup.snapshot-verified",
  "A snapshot was restored on trial and found whole.",
);
export const VerificationFailed = defineEvent<{
  code: string;
  message: string;
}>(
  "backup.verification-failed",
  "A snapshot was restored on trial and something was wrong.",
);
export const RestoreBegun = defineEvent<{ only: string[] | null }>(
  "backup.restore-begun",
  "A snapshot is whole and staged; the daemon puts it in place now.",
);
export const RestoreEnded = defineEvent<{
  only: string[] | null;
  failure: string | null;
}>(
  "backup.restore-ended",
  "A restore is over; without a failure, the snapshot is in place.",
);
export const BackupChanged = defineEvent<BackupSettings>(
  "backup.settings-changed",
  "The settings of the backup were saved.",
);
