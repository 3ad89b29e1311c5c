import { Header } from "tar/header";
import { ByteQueue } from "./byte-queue.ts";
import { MAX_ARCHIVED_FILE_BYTES } from "./limits.ts";
import type { Refusals } from "./refusals.ts";

const BLOCK_BYTES = 512;
const END = Buffer.alloc(2 * BLOCK_BYTES);

/** A file in an archive. */
export interface ArchivedFile {
  name: string;
  content: Buffer;
}

/** What comes before a file in an archive. */
export function tarHeader(name: string, size: number): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES);
  const header = new Header({
    path: name,
    type: "File",
    mode: 0o600,
    size,
    uid: 0,
    gid: 0,
    mtime: new Date(0),
  });
  if (header.encode(block, 0))
    throw new RangeError(`"${name}" does not fit into one header.`);
  return block;
}

/** What fills the last block of a file. */
export function tarPadding(size: number): Buffer {
  return END.subarray(0, (BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES);
}

/** What ends an archive. */
export function tarEnd(): Buffer {
  return END;
}

/** What an archive may hold. */
export interface ExpectedEntries {
  /** Name of the archive. */
  archive: string;
  entries: number;
  /** Whether the next file may be called so. */
  isExpected(name: string): boolean;
  refusals: Refusals;
}

/**
 * Reads the files of an archive. It takes what `tarHeader` writes and nothing else: no links, no devices, no folders, no extended
 * headers, which would put another name in the place of the one that was looked at.
 *
 * @throws BACKUP_SNAPSHOT_INVALID, BACKUP_SNAPSHOT_TOO_LARGE
 */
export async function* readTar(
  source: AsyncIterable<Buffer>,
  expected: ExpectedEntries,
): AsyncGenerator<ArchivedFile> {
  const { archive, refusals } = expected;
  const queue = new ByteQueue();
  let entries = 0;
  let header: { name: string; size: number } | undefined;
  let isEnded = false;
  for await (const chunk of source) {
    queue.push(chunk);
    for (;;) {
      if (!header) {
        if (queue.length < BLOCK_BYTES) break;
        const block = queue.take(BLOCK_BYTES);
        if (block.equals(END.subarray(0, BLOCK_BYTES))) isEnded = true;
        else if (isEnded)
          throw refusals.invalid(
            `there is something after the end of ${archive}`,
          );
        else header = readHeader(block, expected);
        continue;
      }
      const { name, size } = header;
      const padding = tarPadding(size).length;
      if (queue.length < size + padding) break;
      if (++entries > expected.entries)
        throw refusals.tooLarge(
          `${archive} has more than the ${expected.entries} files that the manifest says`,
        );
      const content = queue.take(size);
      queue.take(padding);
      header = undefined;
      yield { name, content };
    }
  }
  if (header || !isEnded || queue.length > 0)
    throw refusals.invalid(`${archive} ends within a file`);
  if (entries < expected.entries)
    throw refusals.corrupt(
      `${archive} has ${entries} files, the manifest says ${expected.entries}`,
    );
}

function readHeader(
  block: Buffer,
  { archive, isExpected, refusals }: ExpectedEntries,
): { name: string; size: number } {
  let header: Header;
  try {
    header = new Header(block, 0);
  } catch (error) {
    throw refusals.invalid(`${archive} is not an archive`, error);
  }
  const { path = "", size = -1, linkpath, type } = header;
  if (!header.cksumValid)
    throw refusals.invalid(`${archive} is not an archive`);
  const shown = JSON.stringify(path.slice(0, 80));
  if (type !== "File" || linkpath)
    throw refusals.invalid(`${shown} in ${archive} is not a plain file`);
  if (!isExpected(path))
    throw refusals.invalid(`${shown} is not expected in ${archive}`);
  if (!Number.isSafeInteger(size) || size < 0)
    throw refusals.invalid(`${shown} in ${archive} has no size`);
  if (size > MAX_ARCHIVED_FILE_BYTES)
    throw refusals.tooLarge(`${shown} in ${archive} has ${size} bytes`);
  return { name: path, size };
}
