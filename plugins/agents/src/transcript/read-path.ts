import type { FileHandle } from "node:fs/promises";
import { parseLine, type TranscriptLine } from "./mark.ts";
import { readLinesBackwards } from "@gantry/agent-kit";

/** A line of a transcript, with its byte offset and length in the file. */
export type PlacedTranscriptLine = TranscriptLine & {
  start: number;
  bytes: number;
};

/**
 * Reads the branch that ends at the offset `end`, newest first. At a branch mark it jumps to the earlier entry that the
 * conversation continued from.
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
      // Only towards the beginning, so that a damaged mark cannot cause an endless loop.
      if (line.type !== "mark" || line.mark.kind !== "branch") continue;
      from = Math.min(line.mark.end, line.start);
      break;
    }
  }
}

/** Reads all branches of a transcript from the offset `end` backwards, in file order. */
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
