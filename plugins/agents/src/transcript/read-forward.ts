import type { FileHandle } from "node:fs/promises";
import { LineSplitter } from "../wire/line-splitter.ts";
import { parseLine, type TranscriptLine } from "./mark.ts";
import { readLinesBackwards } from "./read-backwards.ts";

/** Longest line that is read; what is written is far shorter. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
/** How every mark begins; entries begin with another field. */
const MARK_START = '{"at":';

/** A piece of a file, from a byte up to another. */
interface Segment {
  start: number;
  end: number;
}

/**
 * Reads a conversation along its branch, oldest first, up to a place in the file. Holds no more of it than one block.
 */
export async function* readPathForward(
  file: FileHandle,
  end: number,
): AsyncGenerator<TranscriptLine> {
  for (const segment of await findSegments(file, end)) {
    const splitter = new LineSplitter(MAX_LINE_BYTES);
    const stream = file.createReadStream({
      ...{ start: segment.start, end: segment.end - 1 },
      autoClose: false,
    });
    for await (const chunk of stream)
      for (const line of splitter.push(chunk as Buffer)) {
        const read = line.kind === "line" ? parseLine(line.text) : undefined;
        if (read) yield read;
      }
  }
}

/** The pieces of a file that are one branch, oldest first. What follows the last line end is passed over. */
async function findSegments(file: FileHandle, end: number): Promise<Segment[]> {
  const segments: Segment[] = [];
  let from: number | undefined = end;
  while (from !== undefined && from > 0) {
    const before: number = from;
    let start = 0;
    from = undefined;
    for await (const line of readLinesBackwards(file, before)) {
      if (!line.text.startsWith(MARK_START)) continue;
      const read = parseLine(line.text);
      if (read?.type !== "mark" || read.mark.kind !== "branch") continue;
      // Only ever towards the beginning, so that damage makes no circle.
      from = Math.min(read.mark.end, line.start);
      start = line.start;
      break;
    }
    if (start < before) segments.unshift({ start, end: before });
  }
  return segments;
}
