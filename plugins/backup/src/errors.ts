import { defineErrors } from "@gantry/plugin";

/** Everything that an operation of this plugin can refuse. */
export const errors = defineErrors({
  BACKUP_SNAPSHOT_NOT_FOUND: {
    status: 404,
    title: "No such snapshot",
    detail:
      "There is no snapshot {id}; list them with GET /api/backup/snapshots.",
  },
  BACKUP_FOLDER_MISSING: {
    status: 409,
    title: "No folder is chosen",
    detail: "Choose a folder for snapshots first, with PUT /api/backup.",
  },
  BACKUP_FOLDER_INVALID: {
    status: 400,
    title: "The folder cannot hold snapshots",
    detail: "{folder}: {reason}. Choose another folder.",
  },
  BACKUP_FOLDER_UNAVAILABLE: {
    status: 503,
    title: "The backup folder cannot be reached",
    detail:
      "{folder}: {reason}. Connect its disk or choose another folder; nothing was changed.",
  },
  BACKUP_DISK_FULL: {
    status: 507,
    title: "The disk is full",
    detail:
      "There is no room for this on the disk of {folder}; {needed} more are needed. Nothing half-done was left.",
  },
  BACKUP_BUSY: {
    status: 409,
    title: "Another backup or restore is running",
    detail:
      "A {kind} has been running since {since}; wait for its end and try again.",
  },
  BACKUP_SECRETS_PLAIN: {
    status: 400,
    title: "Secrets need encryption",
    detail:
      "Secrets are copied into encrypted snapshots only; give a passphrase, or leave them out.",
  },
  BACKUP_PASSPHRASE_MISSING: {
    status: 400,
    title: "A passphrase is needed",
    detail:
      "The snapshot {id} is encrypted and its key is not on this machine; give the passphrase that it was made with.",
  },
  BACKUP_PASSPHRASE_WRONG: {
    status: 400,
    title: "The passphrase is wrong",
    detail:
      "The passphrase does not open the snapshot {id}; nothing was changed.",
  },
  BACKUP_SNAPSHOT_INVALID: {
    status: 400,
    title: "The snapshot is not well formed",
    detail: "The snapshot {id} is refused: {reason}. Nothing was changed.",
  },
  BACKUP_SNAPSHOT_CORRUPT: {
    status: 400,
    title: "The snapshot is damaged",
    detail:
      "The snapshot {id} is damaged: {reason}. Nothing was changed; choose another one.",
  },
  BACKUP_SNAPSHOT_TOO_LARGE: {
    status: 413,
    title: "The snapshot is too large",
    detail: "The snapshot {id} is refused: {reason}. Nothing was changed.",
  },
  BACKUP_SNAPSHOT_TOO_NEW: {
    status: 400,
    title: "The snapshot is newer than this version",
    detail:
      "The snapshot {id} has {what} {format}, this version reads up to {known}; update Gantry first.",
  },
  BACKUP_REHEARSAL_FAILED: {
    status: 502,
    title: "A daemon does not work on the snapshot",
    detail:
      "All of the snapshot {id} is as it was written, but a daemon that was started on a copy does not work: {reason}.",
  },
  BACKUP_RESTORE_FAILED: {
    status: 500,
    title: "The restore failed",
    detail: "{reason} All is as it was before.",
  },
  BACKUP_RESTORE_UNFINISHED: {
    status: 503,
    title: "The restore is not over",
    detail:
      "The disk failed while the parts were put in place, and what it keeps is not known. Restart Gantry: it completes the restore of {id}.",
  },
  BACKUP_ONLY_UNKNOWN: {
    status: 400,
    title: "The snapshot has no such part",
    detail:
      "The snapshot {id} has no part {name} that can be restored alone; it has: {known}.",
  },
  BACKUP_PATH_TAKEN: {
    status: 409,
    title: "A part does not fit into what is there",
    detail:
      "The snapshot {id} has {kind} {path}, and there is {present} in its place; move that elsewhere, or restore everything. Nothing was changed.",
  },
  BACKUP_LAST_GOOD: {
    status: 409,
    title: "It is the newest good snapshot",
    detail:
      "{id} is the newest snapshot that is whole; send confirm: true to delete it all the same.",
  },
});
