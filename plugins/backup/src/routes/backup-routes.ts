import {
  defineRoute,
  pageErrors,
  paginate,
  type RouteDefinition,
} from "@gantry/plugin";
import { okAnswer } from "@gantry/plugin/zod";
import { backupState, type BackupState } from "../contract.ts";
import type { Reveal } from "../reveal.ts";
import type { SettingsBook } from "../settings/settings-book.ts";
import type { SnapshotShelf } from "../snapshots/snapshot-shelf.ts";
import type { Backups } from "../work/backups.ts";
import {
  deleteInput,
  nowAnswer,
  nowInput,
  pageQuery,
  restoreAnswer,
  restoreInput,
  revealAnswer,
  revealInput,
  settingsInput,
  snapshotId,
  snapshotPage,
} from "./inputs.ts";

/** What the operations work with. */
export interface RouteHost {
  settings: SettingsBook;
  shelf: SnapshotShelf;
  backups: Backups;
  reveal: Reveal;
  readState(): Promise<BackupState>;
}

const READ_ERRORS = [
  "BACKUP_SNAPSHOT_NOT_FOUND",
  "BACKUP_FOLDER_MISSING",
  "BACKUP_FOLDER_UNAVAILABLE",
];
const OPEN_ERRORS = [
  "BACKUP_PASSPHRASE_MISSING",
  "BACKUP_PASSPHRASE_WRONG",
  "BACKUP_SNAPSHOT_CORRUPT",
  "BACKUP_SNAPSHOT_INVALID",
  "BACKUP_SNAPSHOT_TOO_LARGE",
  "BACKUP_SNAPSHOT_TOO_NEW",
];
const WRITE_ERRORS = [
  "BACKUP_BUSY",
  "BACKUP_DISK_FULL",
  "BACKUP_SECRETS_PLAIN",
];

/** The operations of the backup. */
export function createBackupRoutes(host: RouteHost): RouteDefinition[] {
  return [...settingsRoutes(host), ...workRoutes(host), ...listRoutes(host)];
}

function settingsRoutes({ settings, readState }: RouteHost): RouteDefinition[] {
  return [
    defineRoute({
      method: "GET",
      path: "/api/backup",
      summary: "How the backup stands",
      description:
        "Settings, what is being done, the newest snapshot, when the next is due, and what went wrong last. It also answers while the backup folder cannot be reached, with that as its `problem`.",
      access: "session",
      returns: backupState,
      handle: readState,
    }),
    defineRoute({
      method: "PUT",
      path: "/api/backup",
      summary: "Change where, when and what is backed up",
      description:
        "What is left out stays as it is. `folder` is an absolute path; it is made if its parent is there. `passphrase` encrypts snapshots from now on, `null` ends that. In a folder with encrypted snapshots it has to be theirs, unless their key is on this machine: then it becomes the new passphrase of all of them.",
      access: "session",
      body: settingsInput,
      returns: backupState,
      errors: [
        "BACKUP_FOLDER_INVALID",
        "BACKUP_FOLDER_MISSING",
        "BACKUP_FOLDER_UNAVAILABLE",
        "BACKUP_SECRETS_PLAIN",
        "BACKUP_PASSPHRASE_WRONG",
        "BACKUP_DISK_FULL",
      ],
      async handle({ body }) {
        await settings.change(body);
        return await readState();
      },
    }),
  ];
}

function workRoutes({ backups, reveal }: RouteHost): RouteDefinition[] {
  return [
    defineRoute({
      method: "POST",
      path: "/api/backup/now",
      summary: "Make a snapshot now, or restore one on trial",
      description:
        "Answers when it is done, and continues if the caller leaves. With `verify` the snapshot is then restored on trial: all digests and counts are compared, and a daemon with the same plugins is started on the copy. With `id` that snapshot is restored on trial and none is made. `passphrase` is for an encrypted snapshot whose key is not on this machine.",
      access: "session",
      idempotent: true,
      body: nowInput,
      returns: nowAnswer,
      errors: [
        ...READ_ERRORS,
        ...WRITE_ERRORS,
        ...OPEN_ERRORS,
        "BACKUP_REHEARSAL_FAILED",
      ],
      handle: ({ body }) => backups.now(body),
    }),
    defineRoute({
      method: "POST",
      path: "/api/backup/restore",
      summary: "Restore a snapshot, or tell what that would do",
      description:
        "Checks all of the snapshot before anything is touched, makes a snapshot of what is there, and puts the other in its place: all of it, after which the daemon starts again, or the parts that `only` names, merged by id. `keepsSessions` keeps browsers paired. With `preview` nothing is changed.",
      access: "session",
      idempotent: true,
      body: restoreInput,
      returns: restoreAnswer,
      errors: [
        ...READ_ERRORS,
        ...WRITE_ERRORS,
        ...OPEN_ERRORS,
        "BACKUP_ONLY_UNKNOWN",
        "BACKUP_PATH_TAKEN",
        "BACKUP_RESTORE_FAILED",
        "BACKUP_RESTORE_UNFINISHED",
      ],
      handle: ({ body, signal }) => backups.restore(body, signal),
    }),
    defineRoute({
      method: "POST",
      path: "/api/backup/reveal",
      summary: "Show the backup folder, or one snapshot, in the file manager",
      description:
        "On the screen of the machine that the daemon runs on. Without a file manager or a screen `opened` is false, and `path` is all that there is.",
      access: "session",
      body: revealInput,
      returns: revealAnswer,
      errors: READ_ERRORS,
      handle: ({ body }) => reveal(body.id),
    }),
  ];
}

function listRoutes({ shelf, backups }: RouteHost): RouteDefinition[] {
  return [
    defineRoute({
      method: "GET",
      path: "/api/backup/snapshots",
      summary: "All snapshots",
      description:
        "The newest first, also those with which something is wrong.",
      access: "session",
      query: pageQuery,
      returns: snapshotPage,
      errors: [
        "BACKUP_FOLDER_UNAVAILABLE",
        ...Object.keys(pageErrors.definitions),
      ],
      handle: async ({ query }) =>
        paginate(
          await shelf.list(),
          query,
          ({ createdAt, id }) => createdAt + id,
        ),
    }),
    defineRoute({
      method: "DELETE",
      path: "/api/backup/snapshots/{id}",
      summary: "Delete a snapshot",
      description:
        "The newest one that is good needs `confirm`. Content that other snapshots have too stays.",
      access: "session",
      params: snapshotId,
      body: deleteInput,
      returns: okAnswer,
      errors: [...READ_ERRORS, "BACKUP_BUSY", "BACKUP_LAST_GOOD"],
      async handle({ params: { id }, body }) {
        await backups.remove(id, body.confirm);
        return { ok: true as const };
      },
    }),
  ];
}
