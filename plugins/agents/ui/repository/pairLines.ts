import { changedRange, type Range } from "./changedRange.ts";
import type { NumberedLine } from "./parsePatch.ts";

/** Lines longer than this are not compared word by word. */
const MAX_LENGTH = 2_000;

/**
 * What differs in lines that were replaced: of lines that were removed and as many that were added right behind them, each is
 * compared with its own. By the index of the line.
 */
export function pairLines(
  lines: readonly NumberedLine[],
): ReadonlyMap<number, Range> {
  const ranges = new Map<number, Range>();
  for (let at = 0; at < lines.length;) {
    const removed = countRun(lines, at, "-");
    const added = countRun(lines, at + removed, "+");
    if (removed === added)
      for (let index = at; index < at + removed; index += 1) {
        const [old, now] = [lines[index]?.text, lines[index + removed]?.text];
        if (old === undefined || now === undefined) continue;
        if (old.length > MAX_LENGTH || now.length > MAX_LENGTH) continue;
        const { before, after } = changedRange(old, now);
        if (before) ranges.set(index, before);
        if (after) ranges.set(index + removed, after);
      }
    at += Math.max(1, removed + added);
  }
  return ranges;
}

function countRun(
  lines: readonly NumberedLine[],
  from: number,
  sign: NumberedLine["sign"],
): number {
  let count = 0;
  while (lines[from + count]?.sign === sign) count += 1;
  return count;
}
