import { stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { isGantryError, type StoreEntry } from "@gantry/plugin";
import { errors } from "../errors.ts";
import { createDecryption } from "./age.ts";
import { extractSnapshot } from "./extract-snapshot.ts";
import { readFileList, type ListedEntry } from "./file-list.ts";
import type { Manifest } from "./manifest.ts";
import { readManifest } from "./manifest-file.ts";
import type { ReadContext } from "./packed-file-reader.ts";
import type { ProvenFiles } from "./proven-files.ts";
import { readPieceList } from "./piece-list.ts";
import { readNamespace } from "./read-store.ts";
import { createRefusals, toFolderError } from "./refusals.ts";
import type { ExtractOptions } from "./extract-snapshot.ts";

/** Reads one snapshot. Its methods throw BACKUP_SNAPSHOT_CORRUPT, _INVALID, _TOO_LARGE, or BACKUP_PASSPHRASE_MISSING. */
export interface SnapshotReader {
  /** Absolute path of its folder. */
  readonly path: string;
  readonly manifest: Manifest;
  /**
   * Reads every byte, but for files that are proven, and compares all digests, counts and sizes. Writes nothing.
   */
  check(signal: AbortSignal, proven?: ProvenFiles): Promise<void>;
  /**
   * Entries of a namespace, some hundred at a time, in key order; none if the snapshot has no such namespace. What they are is
   * compared with the manifest at the end.
   */
  entries(
    namespace: string,
    signal?: AbortSignal,
  ): AsyncIterable<readonly StoreEntry[]>;
  /** Its files, links and folders; each kind in the order of plugins. */
  files(signal?: AbortSignal): AsyncIterable<ListedEntry>;
  /**
   * Writes what `HomeReplacement` documents into a folder that is there and empty, checking all of it meanwhile. Removes what it
   * wrote if it fails.
   *
   * @throws BACKUP_DISK_FULL
   */
  extract(stage: string, options: ExtractOptions): Promise<void>;
}

/**
 * Opens a snapshot: reads its manifest, and no more.
 *
 * @param options.identity Secret key of an encrypted snapshot (`AGE-SECRET-KEY-1…`). Without it only the manifest can be read.
 * @throws BACKUP_SNAPSHOT_CORRUPT also without a manifest, BACKUP_SNAPSHOT_INVALID, BACKUP_SNAPSHOT_TOO_LARGE,
 *   BACKUP_SNAPSHOT_TOO_NEW, BACKUP_PASSPHRASE_WRONG for the identity of another key, BACKUP_FOLDER_UNAVAILABLE
 */
export async function openSnapshot(
  path: string,
  { identity }: { identity?: string | undefined } = {},
): Promise<SnapshotReader> {
  const folder = resolve(path);
  const manifest = await ofThatDisk(folder, () => readManifest(folder));
  const { id, isEncrypted } = manifest;
  if (isEncrypted && identity !== undefined)
    await checkIdentity(identity, manifest);
  const refusals = createRefusals(id);
  const toContext = (signal?: AbortSignal): ReadContext => {
    if (isEncrypted && identity === undefined)
      throw errors.BACKUP_PASSPHRASE_MISSING({ id });
    const decryption =
      isEncrypted && identity !== undefined
        ? createDecryption(identity)
        : undefined;
    return { path: folder, refusals, decryption, signal };
  };
  return {
    path: folder,
    manifest,
    async check(signal, proven) {
      const context = toContext(signal);
      await ofThatDisk(folder, () =>
        extractSnapshot(manifest, context, undefined, { signal, proven }),
      );
    },
    async *entries(namespace, signal) {
      const context = toContext(signal);
      const batches = readNamespace(namespace, manifest, context);
      for await (const { entries } of batches) yield entries;
    },
    async *files(signal) {
      const context = toContext(signal);
      const known = await readPieceList(manifest, context);
      yield* readFileList(manifest, known, context);
    },
    async extract(stage, options) {
      const context = toContext(options.signal);
      await ofThatDisk(folder, () =>
        extractSnapshot(manifest, context, stage, options),
      );
    },
  };
}

/** What is missing because its disk was taken away is no damage of the snapshot. */
async function ofThatDisk<Result>(
  path: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (isGantryError(error) && error.code === "BACKUP_SNAPSHOT_CORRUPT")
      await stat(dirname(path)).catch((gone: unknown) => {
        throw toFolderError(gone, dirname(path));
      });
    throw error;
  }
}

async function checkIdentity(
  identity: string,
  { id, recipient }: Manifest,
): Promise<void> {
  const { identityToRecipient } = await import("age-encryption");
  const own = await identityToRecipient(identity).catch(() => undefined);
  if (own !== recipient) throw errors.BACKUP_PASSPHRASE_WRONG({ id });
}
