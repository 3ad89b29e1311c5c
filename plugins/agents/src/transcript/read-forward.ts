import type { FileHandle } from "node:fs/promises";
import { LineSplitter, readLinesBackwards } from "@gantry/agent-kit";
import { parseLine, type TranscriptLine } from "./mark.ts";

/** Maximum length of a line; lines that are written are much shorter. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
/** How every mark begins; entries begin with another field. */
const MARK_START = '{"at":';

/** A byte range of a file; `end` is exclusive. */
interface Segment {
  start: number;
  end: number;
}

/**
 * Reads the branch that ends at the offset `end`, oldest first. Holds one block in memory.
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

/** The byte ranges of the branch, oldest first. An incomplete last line is skipped. */
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
      // Only towards the beginning, so that a damaged mark cannot cause an endless loop.
      from = Math.min(read.mark.end, line.start);
      start = line.start;
      break;
    }
    if (start < before) segments.unshift({ start, end: before });
  }
  return segments;
}
