import { constants, type Stats } from "node:fs";
import { access, lstat } from "node:fs/promises";
import type { PrivateGit, PrivatePlaces } from "@gantry/git-kit";
import { NoCheckpoint } from "./no-checkpoint.ts";
import { MAX_FILE_BYTES, MAX_NEW_BYTES } from "./limits.ts";
import type { FileChanges } from "./list-changes.ts";
import { runPrivate } from "./run-private.ts";

/** Files that are looked at together. */
const AT_ONCE = 256;
/** Files that are stored by one call: what a call has stored is not stored again after a snapshot that took too long. */
const MAX_BATCH = 8192;
/** So many files are put into one pack and not each into a file of its own. */
const MIN_PACKED = 64;
const READABLE_BY_ALL = 0o004;

/** Stores files that changed. @returns those that are not to be kept. @throws NoCheckpoint, GIT_FAILED, GIT_TIMEOUT */
export async function storeFiles(
  git: PrivateGit,
  places: PrivatePlaces,
  { present, known, gone }: FileChanges,
  signal: AbortSignal,
): Promise<string[]> {
  const kept: string[] = [];
  const lost = [...gone];
  const notKept: string[] = [];
  let bytes = 0;
  for (let at = 0; at < present.length; at += AT_ONCE) {
    signal.throwIfAborted();
    const paths = present.slice(at, at + AT_ONCE);
    const looks = paths.map((path) => look(placeOf(places.folder, path)));
    for (const [index, found] of (await Promise.all(looks)).entries()) {
      const path = paths[index]!;
      if (!found.isThere) {
        if (known.has(path)) lost.push(path);
      } else if (found.isReadable) {
        kept.push(path);
        bytes += found.bytes;
      } else notKept.push(path);
    }
  }
  if (bytes > MAX_NEW_BYTES)
    throw new NoCheckpoint(
      `More than ${MAX_NEW_BYTES / 1024 / 1024} MiB in the folder are new, so what a turn changes is not kept. Have git ignore what is made by programs.`,
    );
  const update = async (args: string[], paths: readonly string[]) => {
    const isMany = paths.length >= MIN_PACKED;
    const input = Buffer.from(`${paths.join("\0")}\0`, "latin1");
    await runPrivate(git, places, "update-index", ["-z", ...args, "--stdin"], {
      ...{ input, signal },
      // git streams files over that size into one pack.
      ...(isMany ? { settings: { "core.bigFileThreshold": "1" } } : {}),
    });
  };
  if (lost.length > 0) await update(["--force-remove"], lost);
  for (let at = 0; at < kept.length; at += MAX_BATCH)
    await update(
      ["--add", "--remove", "--replace"],
      kept.slice(at, at + MAX_BATCH),
    );
  return notKept;
}

/** The path of a file, whose name may be in any encoding. */
export function placeOf(folder: string, path: string): Buffer {
  return Buffer.concat([
    Buffer.from(`${folder}/`),
    Buffer.from(path, "latin1"),
  ]);
}

async function look(
  path: Buffer,
): Promise<{ isThere: boolean; isReadable: boolean; bytes: number }> {
  const stats = await lstat(path).catch(() => undefined);
  const isThere = stats?.isFile() === true || stats?.isSymbolicLink() === true;
  return {
    isThere,
    isReadable: isThere && (await isReadable(path, stats)),
    bytes: stats?.size ?? 0,
  };
}

async function isReadable(path: Buffer, stats: Stats): Promise<boolean> {
  if (stats.isSymbolicLink()) return true;
  if (stats.size > MAX_FILE_BYTES) return false;
  if ((stats.mode & READABLE_BY_ALL) !== 0) return true;
  return await access(path, constants.R_OK).then(
    () => true,
    () => false,
  );
}
