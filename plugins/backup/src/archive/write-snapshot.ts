import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { WholeHome } from "@gantry/plugin";
import { flush } from "@gantry/plugin/files";
import { errors } from "../errors.ts";
import { createEncryption } from "./age.ts";
import { backupFolder } from "./backup-folder.ts";
import { Compressor } from "./compressor.ts";
import { holdsConversations } from "./conversation-folders.ts";
import { checkWritten } from "./check-written.ts";
import { EarlierArchives } from "./earlier-archives.ts";
import {
  FileIndexWriter,
  readFileIndex,
  type FileIndex,
} from "./file-index.ts";
import { writeHomeMark, type HomeMark } from "./home-mark.ts";
import { findFiles, type FoundFiles } from "./find-files.ts";
import { listSnapshots } from "./list-snapshots.ts";
import { FORMAT, type Manifest } from "./manifest.ts";
import { writeManifest } from "./manifest-file.ts";
import { OWN_ID, WRITER_FILE } from "./names.ts";
import type { PackedFileOptions } from "./packed-file-writer.ts";
import { readPieceList } from "./piece-list.ts";
import { PieceStore, type PieceSizes } from "./piece-store.ts";
import type { OnProgress } from "./progress.ts";
import { createRefusals, toFolderError, type Refusals } from "./refusals.ts";
import { makeSnapshotFolder } from "./snapshot-folder.ts";
import { shareLists, type ListedFiles } from "./share-lists.ts";
import { writeFiles } from "./write-files.ts";
import { writeHome } from "./write-home.ts";
import { writeStore } from "./write-store.ts";

const MAX_NOTES = 50;
const MAX_NOTE_PATH = 1_000;

/** What is needed of the home that is copied. */
export type SnapshotSource = Pick<
  WholeHome,
  "version" | "folder" | "data" | "plugins" | "readStore"
>;

/** A snapshot that is to be made. */
export interface SnapshotRequest {
  home: SnapshotSource;
  /** The folder that was chosen, with a `gantry-backup` folder in it. */
  folder: string;
  /** As `createIdentifier("snap")` gives it. */
  id: string;
  /** RFC 3339 UTC with milliseconds. */
  createdAt: string;
  reason: Manifest["reason"];
  includeTranscripts: boolean;
  includeSecrets: boolean;
  /** Public key that all is encrypted to (`age1…`); plain without one. */
  recipient?: string | undefined;
  /** Secret half of that key, if it is on this machine: then an encrypted list of files that did not change is shared. */
  identity?: string | undefined;
  /** Says which home makes it. */
  madeBy?: HomeMark;
  /** Writes all content again, also what is there already: after a verification that failed. */
  rewrites?: boolean;
  signal: AbortSignal;
  onProgress?: OnProgress;
  /** Told all that was left out, relative to the folder of all plugins, when the snapshot is made. */
  onLeftOut?: ((paths: readonly string[]) => void) | undefined;
}

/**
 * Makes a snapshot. Nothing of it is listed before its manifest is in place; on failure or abort its folder is removed again,
 * and what it added to the shared content goes with the next `collectUnused`.
 *
 * @throws BACKUP_FOLDER_UNAVAILABLE, BACKUP_DISK_FULL, BACKUP_SECRETS_PLAIN, BACKUP_SNAPSHOT_TOO_LARGE, what `readStore` throws,
 *   and the signal's reason
 */
export async function writeSnapshot(
  request: SnapshotRequest,
): Promise<Manifest> {
  const { createdAt, folder, includeSecrets, recipient, signal } = request;
  signal.throwIfAborted();
  if (includeSecrets && recipient === undefined)
    throw errors.BACKUP_SECRETS_PLAIN();
  const backup = await backupFolder(folder);
  const base = await findBase(request);
  const found = await findFiles({
    data: request.home.data,
    isSkipped: (plugin, within) =>
      plugin === OWN_ID ||
      (!request.includeTranscripts && holdsConversations(plugin, within)),
    signal,
  });
  const path = await makeSnapshotFolder(backup, createdAt).catch(
    (error: unknown) => {
      throw toFolderError(error, folder);
    },
  );
  try {
    return await write(request, { backup, path, base, found });
  } catch (error) {
    await rm(path, { recursive: true, force: true }).catch(() => {});
    signal.throwIfAborted();
    throw error;
  }
}

/** What is known of the last snapshot for the same key. */
interface Base {
  archives: EarlierArchives;
  sizes: PieceSizes;
  index: FileIndex;
  storeBytes: number;
  /** Its lists; `undefined` without one. */
  lists?: ListedFiles;
}

/** The newest snapshot that is whole says what content is there. */
async function findBase(request: SnapshotRequest): Promise<Base> {
  const { folder, home, recipient, rewrites, signal } = request;
  const nothing = {
    archives: new EarlierArchives(folder, []),
    sizes: new Map(),
    index: new Map(),
    storeBytes: 0,
  };
  if (rewrites) return nothing;
  const listed = await listSnapshots(folder);
  const last = listed.find(
    ({ manifest }) => manifest && manifest.recipient === (recipient ?? null),
  );
  if (!last?.manifest) return nothing;
  const { path, manifest } = last;
  const refusals = createRefusals(manifest.id);
  const sizes = await readPieceList(manifest, { path, refusals, signal }).catch(
    () => undefined,
  );
  if (!sizes) return nothing;
  const index = await readFileIndex(join(home.data, OWN_ID), manifest.id);
  const storeBytes = manifest.contentBytes - manifest.files.bytes;
  const archives = new EarlierArchives(path, manifest.archives);
  const lists = { path, id: manifest.id, files: manifest.files };
  return { archives, sizes, index, storeBytes, lists };
}

/** What a snapshot is written with. */
interface Target extends PackedFileOptions {
  /** Folder of the snapshot. */
  folder: string;
  pieces: PieceStore;
  refusals: Refusals;
  leftOut: FoundFiles["leftOut"];
  toError(error: unknown): unknown;
  onBytes(count: number): void;
}

async function write(
  request: SnapshotRequest,
  work: { backup: string; path: string; base: Base; found: FoundFiles },
): Promise<Manifest> {
  const { folder, home, id, identity, recipient, signal } = request;
  const { backup, path, base, found } = work;
  const encryption = recipient ? createEncryption(recipient) : undefined;
  const progress = countProgress(request, work);
  const toError = (error: unknown) =>
    toFolderError(error, folder, progress.remaining());
  const target: Target = {
    folder: path,
    encryption,
    compressor: new Compressor(),
    signal,
    pieces: await PieceStore.open({
      ...{ backup, temporary: path, encryption, identity },
      known: base.sizes,
    }).catch((error: unknown) => {
      throw toError(error);
    }),
    refusals: createRefusals(id),
    leftOut: found.leftOut,
    toError,
    onBytes: progress.add,
  };
  const nextIndex = await FileIndexWriter.create(
    join(home.data, OWN_ID),
    id,
  ).catch(() => undefined);
  try {
    const contents = await writeContents(request, target, {
      ...work,
      nextIndex,
    });
    try {
      const manifest = describe(request, target, contents);
      await finish(target, request, manifest, contents.added);
      // The snapshot is whole; without an index the next one takes longer.
      await nextIndex?.commit().catch(() => {});
      request.onLeftOut?.(target.leftOut.map(({ path: left }) => left));
      return manifest;
    } catch (error) {
      throw toError(error);
    }
  } finally {
    target.pieces.close();
    target.compressor.close();
    await nextIndex?.abort().catch(() => {});
  }
}

type Contents = Awaited<ReturnType<typeof writeContents>>;

async function writeContents(
  { home, identity, includeSecrets, signal }: SnapshotRequest,
  target: Target,
  work: {
    base: Base;
    found: FoundFiles;
    nextIndex: FileIndexWriter | undefined;
  },
) {
  const { base, found, nextIndex } = work;
  // Files only grow after this moment, so that none is older than what the store says of it.
  const image = await home.readStore(signal);
  const store = await writeStore(image, {
    ...target,
    earlier: base.archives,
  }).finally(() => image.close());
  const written = await writeFiles(found, {
    ...target,
    data: home.data,
    index: base.index,
    nextIndex,
  });
  const { added: addedLists, ...lists } = await shareLists(
    written,
    base.lists,
    { folder: target.folder, identity, signal },
  );
  const files = { ...written.files, ...lists };
  const own = await writeHome({ ...target, home: home.folder, includeSecrets });
  /** What this snapshot has alone; all else was compared with its digest when it got its second name. */
  const added = [...store.added, own.archive, ...addedLists];
  return { store, files, own, added };
}

function describe(
  request: SnapshotRequest,
  { leftOut, pieces }: Target,
  { store, files, own, added }: Contents,
): Manifest {
  const { createdAt, home, id, reason, recipient } = request;
  const { namespaces } = store;
  const archives = [
    ...store.archives,
    { ...own.archive, namespace: null, contentSha256: null },
  ];
  const storeBytes = namespaces.reduce((sum, { bytes }) => sum + bytes, 0);
  const notes = leftOut.slice(0, MAX_NOTES).map(({ path, reason: why }) => ({
    // The names of files are encrypted with their content.
    path: (recipient
      ? (path.split("/")[0] ?? "")
      : path.slice(0, MAX_NOTE_PATH)
    ).toWellFormed(),
    reason: why,
  }));
  return {
    format: FORMAT,
    ...{ id, createdAt, reason },
    gantryVersion: home.version,
    plugins: { ...home.plugins() },
    recipient: recipient ?? null,
    isEncrypted: recipient !== undefined,
    hasTranscripts: request.includeTranscripts,
    hasSecrets: request.includeSecrets,
    ...{ archives, namespaces, files },
    withheld: own.withheld,
    leftOut: leftOut.length,
    notes,
    records: namespaces.reduce((sum, { records }) => sum + records, 0),
    ownBytes: added.reduce(
      (sum, { bytes }) => sum + bytes,
      Math.max(pieces.addedBytes, 0),
    ),
    contentBytes: storeBytes + files.bytes + own.bytes,
  };
}

async function finish(
  { folder: path, pieces, signal }: Target,
  { folder, madeBy }: SnapshotRequest,
  manifest: Manifest,
  added: Contents["added"],
): Promise<void> {
  await Promise.all([
    pieces.sync(),
    flush(dirname(path)),
    madeBy && writeHomeMark(path, madeBy),
  ]);
  const missing = await pieces.findMissing();
  if (missing !== undefined)
    throw Object.assign(new Error(`The piece ${missing} is gone.`), {
      code: "ENOENT",
    });
  await checkWritten(manifest, { path, folder, added, pieces }, signal);
  signal.throwIfAborted();
  await writeManifest(path, manifest);
  await rm(join(path, WRITER_FILE), { force: true }).catch(() => {});
}

function countProgress(
  { onProgress }: SnapshotRequest,
  { base, found }: { base: Base; found: FoundFiles },
) {
  const files = found.files.reduce((sum, { size }) => sum + size, 0);
  const expected = files + base.storeBytes;
  let doneBytes = 0;
  return {
    add(count: number) {
      doneBytes += count;
      const totalBytes = Math.max(expected, doneBytes);
      onProgress?.({ step: "writing", doneBytes, totalBytes });
    },
    remaining: () => Math.max(expected - doneBytes, 1),
  };
}
