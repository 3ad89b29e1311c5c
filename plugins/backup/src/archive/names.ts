import * as z from "zod";

/** Folder of snapshots in the folder that was chosen. */
export const BACKUP_FOLDER = "gantry-backup";
/** Folder of the content of files, shared by all snapshots. */
export const PIECES_FOLDER = "files";
export const MANIFEST_FILE = "manifest.json";
export const MANIFEST_DIGEST_FILE = "manifest.sha256";
export const PIECE_LIST_FILE = "pieces.txt";
export const KEY_FILE = "key.age";
export const KEY_DIGEST_FILE = "key.sha256";
/** Says who writes a snapshot that has no manifest yet. */
export const WRITER_FILE = "writer.json";

/** A digest as it is written everywhere: 64 hexadecimal digits. */
export const sha256Schema = z.string().regex(/^[0-9a-f]{64}$/);

/** Name of a file in a snapshot's own folder. */
export const fileNameSchema = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,39}(\.[a-z0-9]{1,9}){1,4}$/);

const FOLDER_NAME =
  /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z(?:-([2-9]|[1-9]\d{1,2}))?$/;

/** Name of a snapshot's folder: its time, without the `:` and `.` that some systems do not take. */
export function toFolderName(createdAt: string, attempt = 1): string {
  const stamp = createdAt.replaceAll(/[:.]/g, "-");
  return attempt === 1 ? stamp : `${stamp}-${attempt}`;
}

/** Whether a folder is called like a snapshot's. */
export function isFolderName(name: string): boolean {
  return FOLDER_NAME.test(name);
}

/** Orders names of folders by time, the newest first. */
export function byNewest(one: string, other: string): number {
  const stamp = (name: string) => name.slice(0, name.indexOf("Z"));
  const attempt = (name: string) => Number(FOLDER_NAME.exec(name)?.[1] ?? 1);
  if (stamp(one) !== stamp(other)) return stamp(one) < stamp(other) ? 1 : -1;
  return attempt(other) - attempt(one);
}

const suffix = (isEncrypted: boolean) => (isEncrypted ? ".zst.age" : ".zst");

/** Archive of a namespace of the store; one that is split has several, counted from 1. */
export function archiveName(
  namespace: string,
  number: number,
  isEncrypted: boolean,
): string {
  const part = number === 1 ? "" : `.${number}`;
  return `${namespace}${part}.tar${suffix(isEncrypted)}`;
}

/** Name of the only file in an archive of a namespace. It has no number: an archive may be another one in the next snapshot. */
export function storeFileName(namespace: string): string {
  return `${namespace}.ndjson`;
}

/** Archive of the files of the home itself. No plugin can be called so. */
export function homeArchiveName(isEncrypted: boolean): string {
  return `home.files.tar${suffix(isEncrypted)}`;
}

const PUBLIC_HOME_FILES = ["config.json"];
const SECRET_HOME_FILES = ["token", "certificate.json"];

/** Files of the home that a snapshot has with secrets, or without. */
export function homeFiles(hasSecrets: boolean): readonly string[] {
  return hasSecrets
    ? [...PUBLIC_HOME_FILES, ...SECRET_HOME_FILES]
    : PUBLIC_HOME_FILES;
}

/** The plugin whose files are in no snapshot: where snapshots are, and their keys. */
export const OWN_ID = "backup";

export function fileListName(isEncrypted: boolean): string {
  return `files.ndjson${suffix(isEncrypted)}`;
}

/** Path of a piece in the folder of pieces. */
export function piecePath(sha256: string, isEncrypted: boolean): string {
  return `${sha256.slice(0, 2)}/${sha256}${suffix(isEncrypted)}`;
}

/** The digest in a piece's name; `undefined` for what is no piece. */
export function digestOfPiece(name: string): string | undefined {
  return /^([0-9a-f]{64})\.zst(?:\.age)?$/.exec(name)?.[1];
}
