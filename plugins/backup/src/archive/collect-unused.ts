import { lstat, readdir, rm, unlink } from "node:fs/promises";
import { join } from "node:path";
import { backupFolder } from "./backup-folder.ts";
import { listFolders } from "./list-snapshots.ts";
import { digestOfPiece, PIECES_FOLDER } from "./names.ts";
import { addDigests } from "./piece-list.ts";
import { codeOf, toFolderError } from "./refusals.ts";
import { isBeingWritten, isNewFolder } from "./snapshot-folder.ts";

/** Time that a copy of a snapshot may take, by hand or by a program that synchronizes folders. */
const COPYING_MS = 24 * 60 * 60 * 1000;

/** What was collected. */
export interface Collected {
  /** Pieces of content that were removed. */
  pieces: number;
  /** Bytes that this gave back. */
  bytes: number;
  /** Folders of interrupted snapshots that were removed. */
  leftOvers: number;
  /** Folders because of which no content was removed: a snapshot is written there, or its list of content cannot be read. */
  isHeldBy: string[];
}

/** What is needed to collect. */
export interface CollectOptions {
  /** Milliseconds since 1970 by the clock that snapshots get their times from. */
  now: number;
  signal?: AbortSignal | undefined;
}

/**
 * Removes content that no snapshot refers to, and left-overs of snapshots that were interrupted. Removes no content while a
 * snapshot is written into the folder, or while a snapshot's list of content cannot be read.
 *
 * @throws BACKUP_FOLDER_UNAVAILABLE and the signal's reason
 */
export async function collectUnused(
  folder: string,
  { now, signal }: CollectOptions,
): Promise<Collected> {
  const backup = await backupFolder(folder);
  const collected: Collected = {
    pieces: 0,
    bytes: 0,
    leftOvers: 0,
    isHeldBy: [],
  };
  try {
    collected.leftOvers = await removeLeftOvers(
      { folder, backup, now },
      collected.isHeldBy,
    );
    const used = new Set<string>();
    for (const { name, path, hasManifest } of await listFolders(folder))
      if (hasManifest && !(await addDigests(path, used)))
        collected.isHeldBy.push(name);
    if (collected.isHeldBy.length > 0) return collected;
    await removePieces(join(backup, PIECES_FOLDER), {
      ...{ used, signal, collected },
      isWriting: () => hasWriter(folder),
    });
    return collected;
  } catch (error) {
    signal?.throwIfAborted();
    throw toFolderError(error, folder);
  }
}

/** @param held Gets the folders that are being written. */
async function removeLeftOvers(
  { folder, backup, now }: { folder: string; backup: string; now: number },
  held: string[],
): Promise<number> {
  let count = 0;
  for (const { name, path, hasManifest } of await listFolders(folder)) {
    if (hasManifest) continue;
    const isWritten = await isBeingWritten(path, now);
    if (isWritten ?? (await isRecent(path, now))) held.push(name);
    else {
      await rm(path, { recursive: true, force: true });
      count++;
    }
  }
  for (const name of await namesIn(backup))
    if (isNewFolder(name))
      count += await removeNewFolder(join(backup, name), now);
  return count;
}

/** Whether a folder came within a day: one that says nothing of its writer may be a copy that is not complete yet. */
async function isRecent(path: string, now: number): Promise<boolean> {
  const { ctimeMs } = await lstat(path);
  return Math.abs(now - ctimeMs) < COPYING_MS;
}

async function removeNewFolder(path: string, now: number): Promise<number> {
  const isWritten = await isBeingWritten(path, now);
  // Its writer may be about to say who it is.
  if (isWritten ?? (await isRecent(path, now))) return 0;
  await rm(path, { recursive: true, force: true });
  return 1;
}

/** Whether a folder has no manifest yet, whichever process writes it. */
async function hasWriter(folder: string): Promise<boolean> {
  const folders = await listFolders(folder);
  return folders.some(({ hasManifest }) => !hasManifest);
}

interface PieceRemoval {
  used: ReadonlySet<string>;
  signal: AbortSignal | undefined;
  collected: Collected;
  isWriting(): Promise<boolean>;
}

async function removePieces(
  folder: string,
  { used, signal, collected, isWriting }: PieceRemoval,
): Promise<void> {
  for (const group of await namesIn(folder)) {
    if (!/^[0-9a-f]{2}$/.test(group)) continue;
    const unused = (await namesIn(join(folder, group))).filter((name) => {
      const digest = digestOfPiece(name);
      return digest !== undefined && !used.has(digest);
    });
    if (unused.length === 0) continue;
    signal?.throwIfAborted();
    // A snapshot that has begun meanwhile may rely on what is removed here. It looks once more for all its pieces before it is
    // whole, so that one which begins right now is not harmed either.
    if (await isWriting()) return;
    for (const name of unused) {
      const path = join(folder, group, name);
      const { size } = await lstat(path);
      await unlink(path);
      collected.pieces++;
      collected.bytes += size;
    }
  }
}

async function namesIn(folder: string): Promise<string[]> {
  return await readdir(folder).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  });
}
