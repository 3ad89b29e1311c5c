import { errors } from "../errors.ts";
import { isWellFormed } from "./well-formed.ts";

const MAX_PATH_LENGTH = 4096;
const MAX_NAME_LENGTH = 255;
const DEEPEST = 128;
const SHOWN = 200;

/**
 * The names of a path below a folder, from the outermost in. The folder itself has none.
 *
 * @throws PATH_OUTSIDE for one that leads out by how it is written, PATH_INVALID for one that no file can have
 */
export function parsePath(path: string): string[] {
  if (
    path.length > MAX_PATH_LENGTH ||
    path.includes("\0") ||
    !isWellFormed(path)
  )
    throw errors.PATH_INVALID({ path: showPath(path) });
  const names = path.split("/").filter((name) => name !== "" && name !== ".");
  if (path.startsWith("/") || names.includes(".."))
    throw errors.PATH_OUTSIDE({ path: showPath(path) });
  const isPossible =
    names.length <= DEEPEST &&
    names.every((name) => Buffer.byteLength(name) <= MAX_NAME_LENGTH);
  if (!isPossible) throw errors.PATH_INVALID({ path: showPath(path) });
  return names;
}

/** A path as a message can have it: in one line and not too long. */
export function showPath(path: string): string {
  const line = path.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}]/gu, "?");
  return line.length > SHOWN ? `${line.slice(0, SHOWN)}…` : line;
}

/** What file systems take no notice of in a name. */
const PASSED_OVER = /[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]|[. ]+$/g;

/** Whether a path leads into what git keeps for itself, under any of the names that file systems take for it. */
export function isOfGit(names: readonly string[]): boolean {
  return names.some((name) => {
    const plain = name.normalize("NFKC").replace(PASSED_OVER, "").toLowerCase();
    return plain === ".git" || plain === "git~1";
  });
}
