import type { FileHandle } from "node:fs/promises";

/** A line with its position in the file. */
export interface PlacedLine {
  start: number;
  text: string;
}

const BLOCK = 64 * 1024;
const LINE_FEED = 0x0a;

/**
 * Reads complete lines that end before `end`, last one first, block by block. An incomplete line at the end of the file
 * is skipped. The cost depends on the lines that are consumed, not on the length of the file.
 */
export async function* readLinesBackwards(
  file: FileHandle,
  end: number,
): AsyncGenerator<PlacedLine> {
  // Bytes from `position` on that belong to lines not yet returned, without their final line end.
  let pending: Buffer[] = [];
  let lineEnd: number | undefined;
  let position = end;
  while (position > 0) {
    const start = Math.max(0, position - BLOCK);
    const block = await readExactly(file, start, position - start);
    let tail = block.length;
    for (
      let at = block.lastIndexOf(LINE_FEED);
      at !== -1;
      at = lastBefore(block, at)
    ) {
      if (lineEnd !== undefined) {
        pending.unshift(block.subarray(at + 1, tail));
        yield {
          start: start + at + 1,
          text: Buffer.concat(pending).toString("utf8"),
        };
      }
      pending = [];
      lineEnd = start + at;
      tail = at;
    }
    if (lineEnd !== undefined) pending.unshift(block.subarray(0, tail));
    position = start;
  }
  if (lineEnd !== undefined)
    yield { start: 0, text: Buffer.concat(pending).toString("utf8") };
}

function lastBefore(block: Buffer, at: number): number {
  return at === 0 ? -1 : block.lastIndexOf(LINE_FEED, at - 1);
}

async function readExactly(
  file: FileHandle,
  start: number,
  length: number,
): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(
      buffer,
      filled,
      length - filled,
      start + filled,
    );
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}
