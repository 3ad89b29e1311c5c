import { folderErrors } from "./folder-errors.ts";
import { isWellFormed } from "./well-formed.ts";

const MAX_PATH_LENGTH = 4096;
const MAX_NAME_BYTES = 255;
const MAX_DEPTH = 128;
const MAX_SHOWN_LENGTH = 200;

/**
 * Splits a path below a folder into its parts, the outermost first. The folder itself has none.
 *
 * @throws PATH_OUTSIDE for one that leads out by how it is written, PATH_INVALID for one that no file can have
 */
export function parsePath(path: string): string[] {
  if (
    path.length > MAX_PATH_LENGTH ||
    path.includes("\0") ||
    !isWellFormed(path)
  )
    throw folderErrors.PATH_INVALID({ path: showPath(path) });
  const names = path.split("/").filter((name) => name !== "" && name !== ".");
  if (path.startsWith("/") || names.includes(".."))
    throw folderErrors.PATH_OUTSIDE({ path: showPath(path) });
  const isPossible =
    names.length <= MAX_DEPTH &&
    names.every((name) => Buffer.byteLength(name) <= MAX_NAME_BYTES);
  if (!isPossible) throw folderErrors.PATH_INVALID({ path: showPath(path) });
  return names;
}

/** Shortens a path to one line of at most 200 characters, for messages. */
export function showPath(path: string): string {
  const line = path.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}]/gu, "?");
  return line.length > MAX_SHOWN_LENGTH
    ? `${line.slice(0, MAX_SHOWN_LENGTH)}…`
    : line;
}

/** Characters that some file systems ignore in a name. */
const IGNORED = /[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]|[. ]+$/g;

/** Whether a path leads into `.git`, under any of the names that file systems accept for it. */
export function isOfGit(names: readonly string[]): boolean {
  return names.some((name) => {
    const plain = name.normalize("NFKC").replace(IGNORED, "").toLowerCase();
    return plain === ".git" || plain === "git~1";
  });
}
