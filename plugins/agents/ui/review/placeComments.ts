import type { NumberedLine } from "../repository/parsePatch.ts";
import { placeOf, toExcerpt, type ReviewComment } from "./reviewComment.ts";

/** Where the comments on a file belong now. */
export interface PlacedComments {
  /** By the index of the line. */
  placed: ReadonlyMap<number, ReviewComment>;
  /** Those whose line is not among the changes any more. */
  lost: readonly ReviewComment[];
}

/**
 * Finds the lines that comments are about: the one with the same number, if it still reads the same, else the one that has
 * the same lines around it, else the only one that reads so.
 */
export function placeComments(
  comments: readonly ReviewComment[],
  lines: readonly NumberedLine[],
): PlacedComments {
  const placed = new Map<number, ReviewComment>();
  const lost: ReviewComment[] = [];
  for (const comment of comments) {
    const line = findLine(comment, lines);
    if (line < 0 || placed.has(line)) lost.push(comment);
    else placed.set(line, comment);
  }
  return { placed, lost };
}

function findLine(
  { path, side, line, quote, excerpt }: ReviewComment,
  lines: readonly NumberedLine[],
): number {
  const isOnSide = (one: NumberedLine) => placeOf(path, one)?.side === side;
  const atNumber = lines.findIndex(
    (one) => isOnSide(one) && one[side] === line,
  );
  // One that was kept without its text can only be told by its number.
  if (quote === undefined || lines[atNumber]?.text === quote) return atNumber;
  const alike = lines.flatMap((one, index) =>
    one.text === quote && isOnSide(one) ? [index] : [],
  );
  const same = alike.find((index) => toExcerpt(lines, index) === excerpt);
  return same ?? (alike.length === 1 ? (alike[0] ?? -1) : -1);
}
