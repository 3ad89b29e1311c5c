import { applyBlocks, toLines, type Block } from "./hunks.ts";

/** A file as git stores it and as it is in the folder, which differ where git changes line ends. */
export interface StoredAndShown {
  stored: string;
  shown: string;
}

/**
 * Takes some changes of a file back; its other lines stay as they are in the folder.
 *
 * @param changes All changes from one file to the other.
 * @param taken Those of them that are taken back.
 * @returns `undefined` where more than line ends is different in the folder
 */
export function reverseBlocks(
  { before, after }: { before: StoredAndShown; after: StoredAndShown },
  changes: readonly Block[],
  taken: readonly Block[],
): string | undefined {
  const [old, now] = [before, after].map(pairLines);
  if (!old || !now) return undefined;
  let moved = 0;
  const reversed: Block[] = [];
  for (const block of changes.toSorted((one, other) => one.at - other.at)) {
    const { at, removed, added } = block;
    const start = at + moved;
    moved += added.length - removed.length;
    if (taken.includes(block))
      reversed.push({
        at: start,
        removed: now.slice(start, start + added.length),
        added: old.slice(at, at + removed.length),
      });
  }
  return applyBlocks(after.shown, reversed);
}

/** The lines of a file in the folder, if they are those that git stores but for their ends. */
function pairLines({ stored, shown }: StoredAndShown): string[] | undefined {
  const lines = toLines(shown);
  return lines.map(withoutReturn).join("") ===
    toLines(stored).map(withoutReturn).join("")
    ? lines
    : undefined;
}

function withoutReturn(line: string): string {
  return line.replace(/\r\n$/, "\n");
}
