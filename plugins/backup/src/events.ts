import {
  BackupChanged,
  BackupProgressed,
  RestoreBegun,
  RestoreEnded,
  SnapshotDeleted,
  SnapshotFailed,
  SnapshotMade,
  SnapshotVerified,
  VerificationFailed,
} from "./contract.ts";

/** Everything that this plugin tells. */
export const events = [
  BackupProgressed,
  SnapshotMade,
  SnapshotFailed,
  SnapshotDeleted,
  SnapshotVerified,
  VerificationFailed,
  RestoreBegun,
  RestoreEnded,
  BackupChanged,
];
