import { pageOf, pageQuery, timestamp } from "@gantry/plugin/zod";
import * as z from "zod";
import { restorePreview, snapshot } from "../contract.ts";
import { errors } from "../errors.ts";

const MIN_PASSPHRASE_LENGTH = 8;
const MAX_PASSPHRASE_LENGTH = 1024;
const MAX_PATH_LENGTH = 4096;
/** Their names are kept with the restore, in at most 4 KB. */
const MAX_PARTS = 30;
const MAX_PART_LENGTH = 105;

/** Path parameters of the routes of one snapshot. */
export const snapshotId = {
  id: { prefix: "snap", missing: errors.BACKUP_SNAPSHOT_NOT_FOUND },
};

const snapshotIdInput = z.string().max(100);
/** One that opens a snapshot; what is too short for a new one opens none. */
const passphraseInput = z.string().min(1).max(MAX_PASSPHRASE_LENGTH);

/** What `PUT /api/backup` takes. */
export const settingsInput = z.strictObject({
  folder: z.string().min(1).max(MAX_PATH_LENGTH).nullable().optional(),
  everyMinutes: z
    .int()
    .min(15)
    .max(30 * 24 * 60)
    .optional(),
  keepDays: z.int().min(1).max(3650).optional(),
  keepsWeekly: z.boolean().optional(),
  includeTranscripts: z.boolean().optional(),
  includeSecrets: z.boolean().optional(),
  passphrase: z
    .string()
    .min(MIN_PASSPHRASE_LENGTH)
    .max(MAX_PASSPHRASE_LENGTH)
    .nullable()
    .optional(),
});
export type SettingsInput = z.infer<typeof settingsInput>;

/** What `POST /api/backup/now` takes. */
export const nowInput = z.strictObject({
  verify: z.boolean().default(false),
  id: snapshotIdInput.optional(),
  passphrase: passphraseInput.optional(),
});
export type NowInput = z.infer<typeof nowInput>;

/** What `POST /api/backup/now` answers. */
export const nowAnswer = z.object({
  snapshot,
  verified: z
    .object({
      ok: z.literal(true),
      at: timestamp,
      /** Plugins that were active in the daemon that was started on the copy. */
      plugins: z.int(),
      records: z.int(),
      files: z.int(),
    })
    .nullable(),
});
export type NowAnswer = z.infer<typeof nowAnswer>;

const partName = z.string().min(1).max(MAX_PART_LENGTH);

/** What `POST /api/backup/restore` takes. */
export const restoreInput = z.strictObject({
  id: snapshotIdInput,
  only: z.union([partName, z.array(partName).min(1).max(MAX_PARTS)]).optional(),
  passphrase: passphraseInput.optional(),
  keepsSessions: z.boolean().default(false),
  preview: z.boolean().default(false),
});
export type RestoreInput = z.infer<typeof restoreInput>;

/** What `POST /api/backup/restore` answers. */
export const restoreAnswer = z.union([
  z.object({ preview: restorePreview }),
  z.object({
    ok: z.literal(true),
    /** Brings back what was there before; `null` if there was nothing. */
    safetySnapshotId: z.string().nullable(),
    /** Whether the daemon starts again now. */
    restarts: z.boolean(),
  }),
]);
export type RestoreAnswer = z.infer<typeof restoreAnswer>;

/** What `POST /api/backup/reveal` takes. */
export const revealInput = z.strictObject({ id: snapshotIdInput.optional() });

/** What `POST /api/backup/reveal` answers. */
export const revealAnswer = z.object({
  path: z.string(),
  /** Whether a file manager shows it; not without one, or without a screen. */
  opened: z.boolean(),
});

/** What `DELETE /api/backup/snapshots/{id}` takes. */
export const deleteInput = z.strictObject({
  confirm: z.boolean().default(false),
});

export { pageQuery };
export const snapshotPage = pageOf(snapshot);
