import type { NumberedLine } from "./parsePatch.ts";

/** Lines that were removed with those that were added right behind them. */
export interface Run {
  /** Index of the first line. */
  from: number;
  removed: number;
  added: number;
}

/** The run that begins at a line; without any lines where the line has not changed. */
export function readRun(lines: readonly NumberedLine[], from: number): Run {
  const removed = countRun(lines, from, "-");
  return { from, removed, added: countRun(lines, from + removed, "+") };
}

/**
 * The line that each replaced line stands against, by its index, -1 for none: of lines that were removed and as many that were
 * added right behind them, each has its own.
 */
export function pairLines(lines: readonly NumberedLine[]): Int32Array {
  const pairs = new Int32Array(lines.length).fill(-1);
  for (let at = 0; at < lines.length;) {
    const { removed, added } = readRun(lines, at);
    if (removed === added)
      for (let index = at; index < at + removed; index += 1) {
        pairs[index] = index + removed;
        pairs[index + removed] = index;
      }
    at += Math.max(1, removed + added);
  }
  return pairs;
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
