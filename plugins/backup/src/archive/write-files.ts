import { createHash } from "node:crypto";
import { join } from "node:path";
import { copyFile, type CopiedContent } from "./copy-file.ts";
import { FileCounts, toListLine, type ListedLink } from "./file-list.ts";
import {
  findUnchanged,
  type FileIndex,
  type FileIndexWriter,
} from "./file-index.ts";
import {
  whyUnread,
  type FoundFile,
  type FoundFiles,
  type LeftOut,
} from "./find-files.ts";
import { MAX_FILES } from "./limits.ts";
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
import { TOO_MANY, whyNextToEmpty, whyTooMuch } from "./too-much.ts";

const BATCH_CHARS = 64 * 1024;
const BATCH_ENTRIES = 500;

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

/** What was written of files. */
export interface WrittenFiles {
  files: Manifest["files"];
  /** Of the lines of the list of files. */
  linesSha256: string;
}

/** Writes the content of files that is not there yet, and the lists of files and of pieces. */
export async function writeFiles(
  found: FoundFiles,
  target: FilesTarget,
): Promise<WrittenFiles> {
  const { encryption, folder, pieces, toError } = target;
  const name = fileListName(encryption !== undefined);
  const list = new PackedFileWriter(folder, name, target);
  const queue = new PieceQueue(pieces, toError);
  const counts = new FileCounts();
  const lines = createHash("sha256");
  const writeLines = async (text: string) => {
    const content = Buffer.from(text);
    lines.update(content);
    await list.write(content).catch((error: unknown) => {
      throw toError(error);
    });
    await nextTurn();
  };
  try {
    const work = { ...target, writeLines, queue, counts };
    await writeEach(found.files, work);
    await writeOthers([...found.links, ...found.folders], work);
    await queue.close();
    const packed = await list.close().catch((error: unknown) => {
      throw toError(error);
    });
    const used = pieces.used;
    const pieceList = await writePieceList(folder, used).catch(
      (error: unknown) => {
        throw toError(error);
      },
    );
    const files = {
      list: packed,
      pieceList,
      count: counts.files,
      bytes: counts.bytes,
      pieces: used.size,
      storedBytes: [...used.values()].reduce((sum, size) => sum + size, 0),
      byPlugin: counts.byPlugin(),
    };
    return { files, linesSha256: lines.digest("hex") };
  } catch (error) {
    // Nothing may be written any more when the folder is removed.
    await queue.settle().catch(() => {});
    await list.abort();
    throw error;
  }
}

interface Work extends FilesTarget {
  /** Adds lines to the list of files, and lets others run. */
  writeLines(text: string): Promise<void>;
  queue: PieceQueue;
  counts: FileCounts;
}

async function writeEach(
  files: readonly FoundFile[],
  work: Work,
): Promise<void> {
  const { counts, leftOut, nextIndex, signal, writeLines } = work;
  let batch = "";
  for (const file of files) {
    signal.throwIfAborted();
    const copied = await copyUnlessTooMuch(file, work);
    if (typeof copied === "string") {
      leftOut.push({ path: `${file.plugin}/${file.path}`, reason: copied });
      continue;
    }
    const { plugin, path } = file;
    const { mode, size, sha256, pieces } = copied;
    work.pieces.use(pieces);
    const entry = { plugin, path, mode, size, sha256, pieces };
    counts.add(entry);
    batch += toListLine(entry);
    if (copied.stamp !== undefined)
      await nextIndex?.add({ ...file, stamp: copied.stamp }, copied);
    if (batch.length > BATCH_CHARS) {
      await writeLines(batch);
      batch = "";
    }
  }
  await writeLines(batch);
}

/** Lists links and folders. */
async function writeOthers(
  entries: readonly (ListedLink | FoundFiles["folders"][number])[],
  { counts, leftOut, signal, writeLines }: Work,
): Promise<void> {
  for (let at = 0; at < entries.length; at += BATCH_ENTRIES) {
    signal.throwIfAborted();
    let lines = "";
    for (const entry of entries.slice(at, at + BATCH_ENTRIES)) {
      const { plugin, path } = entry;
      if (counts.entries >= MAX_FILES) {
        leftOut.push({ path: `${plugin}/${path}`, reason: TOO_MANY });
        continue;
      }
      counts.add(entry);
      lines += toListLine(
        "link" in entry ? entry : { plugin, path, folder: entry.folder },
      );
    }
    await writeLines(lines);
  }
}

/** @returns why it is left out, if it is */
async function copyUnlessTooMuch(
  file: FoundFile,
  work: Work,
): ReturnType<typeof copy> {
  const { counts, pieces, queue } = work;
  /** Once more when all is on disk, if what is not might count. */
  const settled = async (why: () => string | undefined) => {
    if (why() === undefined) return undefined;
    await queue.settle();
    return why();
  };
  const written = () => ({
    files: counts.files,
    bytes: counts.bytes,
    storedBytes: pieces.storedBytes,
  });
  const whyNot = await settled(() => whyTooMuch(file, written()));
  const copied = whyNot ?? (await copy(file, work));
  if (typeof copied === "string") return copied;
  // Content may take far less room than the disk has for it.
  const whyAfter = await settled(() =>
    whyNextToEmpty(copied.size, pieces.measure(copied.pieces), written()),
  );
  return whyAfter ?? copied;
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
