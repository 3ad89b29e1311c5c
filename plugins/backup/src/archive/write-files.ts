import { join } from "node:path";
import { copyFile, type CopiedContent } from "./copy-file.ts";
import { FileCounts, toListLine } from "./file-list.ts";
import {
  findUnchanged,
  type FileIndex,
  type FileIndexWriter,
} from "./file-index.ts";
import { whyUnread, type FoundFile, type LeftOut } from "./find-files.ts";
import { FREE_CONTENT_BYTES, isBomb, MAX_FILES } from "./limits.ts";
import type { Manifest } from "./manifest.ts";
import { fileListName } from "./names.ts";
import { nextTurn } from "./next-turn.ts";
import {
  PackedFileWriter,
  type PackedFileOptions,
} from "./packed-file-writer.ts";
import { writePieceList } from "./piece-list.ts";
import { PieceQueue } from "./piece-queue.ts";
import type { PieceStore } from "./piece-store.ts";

const BATCH_CHARS = 64 * 1024;

/** What files are written with. */
export interface FilesTarget extends PackedFileOptions {
  /** Holds a folder for each plugin. */
  data: string;
  /** Folder of the snapshot. */
  folder: string;
  pieces: PieceStore;
  /** What the last snapshot read. */
  index: FileIndex;
  /** `undefined` if it cannot be written; then all files are read again the next time. */
  nextIndex: FileIndexWriter | undefined;
  leftOut: LeftOut[];
  toError(error: unknown): unknown;
  onBytes(count: number): void;
}

/** Writes the content of files that is not there yet, and the lists of files and of pieces. */
export async function writeFiles(
  files: readonly FoundFile[],
  target: FilesTarget,
): Promise<Manifest["files"]> {
  const { encryption, folder, pieces, toError } = target;
  const name = fileListName(encryption !== undefined);
  const list = new PackedFileWriter(folder, name, target);
  const queue = new PieceQueue(pieces, toError);
  const counts = new FileCounts();
  try {
    await writeEach(files, { ...target, list, queue, counts });
    await queue.settle();
    const packed = await list.close().catch((error: unknown) => {
      throw toError(error);
    });
    const used = pieces.used;
    const pieceList = await writePieceList(folder, used).catch(
      (error: unknown) => {
        throw toError(error);
      },
    );
    return {
      list: packed,
      pieceList,
      count: counts.files,
      bytes: counts.bytes,
      pieces: used.size,
      storedBytes: [...used.values()].reduce((sum, size) => sum + size, 0),
      byPlugin: counts.byPlugin(),
    };
  } catch (error) {
    // Nothing may be written any more when the folder is removed.
    await queue.settle().catch(() => {});
    await list.abort();
    throw error;
  }
}

interface Work extends FilesTarget {
  list: PackedFileWriter;
  queue: PieceQueue;
  counts: FileCounts;
}

async function writeEach(
  files: readonly FoundFile[],
  work: Work,
): Promise<void> {
  const { counts, leftOut, list, nextIndex, signal, toError } = work;
  let batch = "";
  const flush = async () => {
    const lines = Buffer.from(batch);
    batch = "";
    await list.write(lines).catch((error: unknown) => {
      throw toError(error);
    });
    await nextTurn();
  };
  for (const file of files) {
    signal.throwIfAborted();
    const whyNot = whyTooMuch(file, work);
    const copied = whyNot ?? (await copy(file, work));
    if (typeof copied === "string") {
      leftOut.push({ path: `${file.plugin}/${file.path}`, reason: copied });
      continue;
    }
    const { plugin, path } = file;
    const { mode, size, sha256, pieces } = copied;
    work.pieces.use(pieces);
    counts.add({ plugin, size });
    batch += toListLine({ plugin, path, mode, size, sha256, pieces });
    if (copied.stamp !== undefined)
      await nextIndex?.add({ ...file, stamp: copied.stamp }, copied);
    if (batch.length > BATCH_CHARS) await flush();
  }
  await flush();
}

/** Readers refuse what says that it holds far more than it could. Files with large holes are such. */
function whyTooMuch(
  { size }: FoundFile,
  { counts, pieces }: Work,
): string | undefined {
  if (counts.files >= MAX_FILES)
    return `there are more than ${MAX_FILES} files`;
  const unpackedBytes = counts.bytes + size;
  const bytes = pieces.storedBytes;
  return isBomb({ bytes, unpackedBytes }, FREE_CONTENT_BYTES)
    ? "it is very large and next to empty"
    : undefined;
}

/** @returns why it is left out, if it is */
async function copy(
  file: FoundFile,
  { data, index, pieces, queue, signal, onBytes }: Work,
): Promise<
  (CopiedContent & { stamp: string | undefined; mode: number }) | string
> {
  const known = findUnchanged(index, file);
  if (known?.pieces.every((piece) => pieces.has(piece))) {
    onBytes(known.size);
    return { ...known, stamp: file.stamp, mode: file.mode };
  }
  try {
    const path = join(data, file.plugin, file.path);
    return await copyFile(path, { queue, signal, onBytes });
  } catch (error) {
    signal.throwIfAborted();
    // The queue speaks of the target, and is to be believed.
    queue.check();
    return whyUnread(error);
  }
}
