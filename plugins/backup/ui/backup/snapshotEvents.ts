/** Events after which the list of snapshots is another one. */
export const SNAPSHOT_EVENTS: readonly string[] = [
  "backup.snapshot-*",
  "backup.verification-failed",
  "backup.settings-changed",
  "backup.restore-ended",
];
