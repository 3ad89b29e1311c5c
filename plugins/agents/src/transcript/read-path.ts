import type { FileHandle } from "node:fs/promises";
import { parseLine, type TranscriptLine } from "./mark.ts";
import { readLinesBackwards } from "./read-backwards.ts";

/** A line of a transcript and where it is in the file. */
export type PlacedTranscriptLine = TranscriptLine & {
  start: number;
  bytes: number;
};

/**
 * Reads a conversation backwards from a place, along its branch: where it was continued from an earlier entry, what had followed
 * that one is skipped.
 */
export async function* readPathBackwards(
  file: FileHandle,
  end: number,
): AsyncGenerator<PlacedTranscriptLine> {
  let from: number | undefined = end;
  while (from !== undefined) {
    const before: number = from;
    from = undefined;
    for await (const line of readAllBackwards(file, before)) {
      yield line;
      // Only ever towards the beginning, so that damage makes no circle.
      if (line.type !== "mark" || line.mark.kind !== "branch") continue;
      from = Math.min(line.mark.end, line.start);
      break;
    }
  }
}

/** Reads a transcript backwards from a place with all of its branches, as it was written. */
export async function* readAllBackwards(
  file: FileHandle,
  end: number,
): AsyncGenerator<PlacedTranscriptLine> {
  let next = end;
  for await (const { start, text } of readLinesBackwards(file, end)) {
    const line = parseLine(text);
    const bytes = next - start;
    next = start;
    if (line) yield { ...line, start, bytes };
  }
}
