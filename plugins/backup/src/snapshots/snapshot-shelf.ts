import { readdir, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { backupFolder } from "../archive/backup-folder.ts";
import { readHomeMark } from "../archive/home-mark.ts";
import { listSnapshots } from "../archive/list-snapshots.ts";
import {
  isFolderName,
  MANIFEST_DIGEST_FILE,
  MANIFEST_FILE,
} from "../archive/names.ts";
import { toFolderError } from "../archive/refusals.ts";
import type { Snapshot } from "../contract.ts";
import { errors } from "../errors.ts";
import type { HomeIdentity } from "../settings/home-identity.ts";
import { measureFolder } from "./measure-folder.ts";
import { toSnapshot, toSnapshotId } from "./to-snapshot.ts";
import { readMark, VERIFICATION_FILE } from "./verification-mark.ts";

/** The snapshots of the backup folder. */
export interface SnapshotShelf {
  /** All of them, newest first; none while no folder is chosen. Rejects with BACKUP_FOLDER_UNAVAILABLE. */
  list(): Promise<readonly Snapshot[]>;
  /** Rejects with BACKUP_SNAPSHOT_NOT_FOUND and BACKUP_FOLDER_UNAVAILABLE. */
  find(id: string): Promise<Snapshot>;
  /**
   * Bytes of all that is in the folder. They are measured once, which takes a moment with many files; after that, what comes is
   * added, and what goes is measured in the background.
   */
  totalBytes(): Promise<number>;
  /** Bytes that are free on its disk; `null` if that is not known. */
  freeBytes(): Promise<number | null>;
  /** So many bytes were added to the folder. */
  added(bytes: number): void;
  /** Something was removed from the folder. */
  removed(): void;
}

/** @param folder Gives the folder that is chosen. */
export function createSnapshotShelf(
  folder: () => string | null,
  identity: Pick<HomeIdentity, "otherOf" | "revision">,
  signal: AbortSignal,
): SnapshotShelf {
  let listed:
    { fingerprint: string; snapshots: readonly Snapshot[] } | undefined;
  let size:
    { folder: string; measured: Promise<number>; added: number } | undefined;

  /** Measures the folder; one that cannot be measured is measured again when it is asked for. */
  function measure(chosen: string): Promise<number> {
    const bytes = backupFolder(chosen).then((path) =>
      measureFolder(path, signal),
    );
    bytes.catch(() => {
      if (size?.measured === bytes) size = undefined;
    });
    return bytes;
  }

  async function list(): Promise<readonly Snapshot[]> {
    const chosen = folder();
    if (chosen === null) return [];
    const { revision } = identity;
    const fingerprint = `${revision}\n${await takeFingerprint(chosen)}`;
    if (listed?.fingerprint === fingerprint) return listed.snapshots;
    const snapshots = await readSnapshots(chosen, identity);
    listed = { fingerprint, snapshots };
    return snapshots;
  }

  return {
    list,
    async find(id) {
      const found = (await list()).find((snapshot) => snapshot.id === id);
      if (!found) throw errors.BACKUP_SNAPSHOT_NOT_FOUND({ id });
      return found;
    },
    async totalBytes() {
      const chosen = folder();
      if (chosen === null) return 0;
      if (size?.folder !== chosen)
        size = { folder: chosen, measured: measure(chosen), added: 0 };
      const current = size;
      return (await current.measured) + current.added;
    },
    async freeBytes() {
      const chosen = folder();
      if (chosen === null) return null;
      const disk = await statfs(chosen).catch(() => undefined);
      return disk ? disk.bavail * disk.bsize : null;
    },
    added(bytes) {
      if (size) size.added += bytes;
    },
    removed() {
      const known = size;
      if (!known) return;
      // What was known is told until the new figure is there.
      const measured = measure(known.folder);
      measured.then(
        () => {
          if (size === known)
            size = { folder: known.folder, measured, added: 0 };
        },
        () => undefined,
      );
    },
  };
}

/** Reads all manifests of a folder, newest first. Rejects with BACKUP_FOLDER_UNAVAILABLE. */
export async function readSnapshots(
  folder: string,
  identity: Pick<HomeIdentity, "otherOf">,
): Promise<Snapshot[]> {
  await backupFolder(folder);
  const seen = new Set<string>();
  const snapshots: Snapshot[] = [];
  for (const listed of await listSnapshots(folder)) {
    const { path } = listed;
    const snapshot = toSnapshot(listed, await readMark(path));
    const madeBy = await readHomeMark(path);
    snapshot.otherHome = identity.otherOf(madeBy, snapshot.createdAt);
    // The user may have copied the folder of one.
    if (seen.has(snapshot.id)) snapshot.id = toSnapshotId(listed.name);
    seen.add(snapshot.id);
    snapshots.push(snapshot);
  }
  return snapshots;
}

/** Changes with each snapshot that comes, goes, or gets another manifest or mark. Much quicker than to read them. */
async function takeFingerprint(folder: string): Promise<string> {
  const path = await backupFolder(folder);
  const names = await readdir(path).catch((error: unknown) => {
    throw toFolderError(error, folder);
  });
  const files = names
    .filter(isFolderName)
    .sort()
    .flatMap((name) => [
      join(path, name, MANIFEST_FILE),
      // Where folders are synchronized it may come later, and makes a good snapshot of a damaged one.
      join(path, name, MANIFEST_DIGEST_FILE),
      join(path, name, VERIFICATION_FILE),
    ]);
  const states = await Promise.all(
    files.map(async (file) => {
      const stats = await stat(file).catch(() => undefined);
      return stats
        ? `${file} ${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`
        : "";
    }),
  );
  return [path, ...states].join("\n");
}
