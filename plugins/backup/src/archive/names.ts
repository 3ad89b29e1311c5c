import * as z from "zod";

/** Folder of snapshots in the folder that was chosen. */
export const BACKUP_FOLDER = "gantry-backup";
/** Folder of the content of files, shared by all snapshots. */
export const PIECES_FOLDER = "files";
export const MANIFEST_FILE = "manifest.json";
export const MANIFEST_DIGEST_FILE = "manifest.sha256";
export const KEY_FILE = "key.age";
export const KEY_DIGEST_FILE = "key.sha256";
export const RECIPIENT_FILE = "recipient.txt";

/** A digest as it is written everywhere: 64 hexadecimal digits. */
export const sha256Schema = z.string().regex(/^[0-9a-f]{64}$/);

/** Name of a file in a snapshot's own folder. */
export const fileNameSchema = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,39}(\.[a-z0-9]{1,9}){1,4}$/);
