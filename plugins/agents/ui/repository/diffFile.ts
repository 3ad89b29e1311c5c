import { digestLines } from "../review/digestLines.ts";
import { changedRange, type Range } from "./changedRange.ts";
import { once } from "./once.ts";
import { pairLines } from "./pairLines.ts";
import { parsePatch, type FilePatch } from "./parsePatch.ts";
import { createLineTexts, patchNotes } from "./patchNotes.ts";

/** Lines longer than this are not compared word by word. */
const MAX_COMPARED_LENGTH = 2_000;
/** Places that a tab takes up at most. */
const TAB_SIZE = 8;

/** What a patch does to one file, with what is worked out when it is first needed. */
export interface DiffFile extends FilePatch {
  /** Tells it from the others of its patch, of which two may have one path. */
  id: string;
  notes(): readonly string[];
  digest(): string;
  /** The indexes of the heads of hunks among the lines. */
  heads(): readonly number[];
  /** How a line is shown, by its index. */
  textAt(index: number): string;
  /** What differs in a line from the one that it stands against. */
  changeAt(index: number): Range | undefined;
  /** Characters in the longest line, about. */
  columns(): number;
}

/** Prepares the files of a patch. One that is as it was in `before` is taken from there, with all that is known of it. */
export function toDiffFiles(
  patch: string,
  before: readonly DiffFile[],
): DiffFile[] {
  const known = new Map(before.map((file) => [file.id, file]));
  const ids = new Set<string>();
  return parsePatch(patch).map((file) => {
    // A file that became a link is in the patch twice.
    let id = file.path;
    while (ids.has(id)) id += "*";
    ids.add(id);
    const old = known.get(id);
    return old && isSame(old, file) ? old : toDiffFile(file, id);
  });
}

/** Prepares one file. */
export function toDiffFile(file: FilePatch, id: string): DiffFile {
  const { lines } = file;
  const pairs = once(() => pairLines(lines));
  return {
    ...file,
    id,
    notes: once(() => patchNotes(file)),
    digest: once(() => digestLines(lines)),
    heads: once(() => {
      const found: number[] = [];
      for (let index = 0; index < lines.length; index += 1)
        if (lines[index]?.sign === "@") found.push(index);
      return found;
    }),
    textAt: createLineTexts(lines),
    changeAt(index) {
      const other = pairs()[index] ?? -1;
      const [one, two] = [lines[index]?.text, lines[other]?.text];
      if (one === undefined || two === undefined) return undefined;
      if (Math.max(one.length, two.length) > MAX_COMPARED_LENGTH)
        return undefined;
      return index < other
        ? changedRange(one, two).before
        : changedRange(two, one).after;
    },
    columns: once(() => {
      let most = 0;
      for (const { text } of lines)
        // Looking at each letter of each line would take too long.
        if (
          text.length > most ||
          (text.length * TAB_SIZE > most && text.includes("\t"))
        )
          most = Math.max(most, columnsOf(text));
      return most;
    }),
  };
}

/** How many places a text takes up in a line, at most: tabs as the widest, wide letters twice. */
export function columnsOf(text: string): number {
  // eslint-disable-next-line no-control-regex -- all of ASCII but the tab
  if (/^[\x00-\x08\x0a-\x7f]*$/.test(text)) return text.length;
  let columns = 0;
  for (const char of text)
    columns += char === "\t" ? TAB_SIZE : char > "\u00ff" ? 2 : 1;
  return columns;
}

function isSame(one: FilePatch, other: FilePatch): boolean {
  return (
    // Of bytes the patch does not tell whether they are the same.
    !one.isBinary &&
    !other.isBinary &&
    one.kind === other.kind &&
    one.from === other.from &&
    one.mode?.before === other.mode?.before &&
    one.mode?.after === other.mode?.after &&
    one.hunks.length === other.hunks.length &&
    one.hunks.every(
      ({ header, lines }, index) =>
        header === other.hunks[index]?.header &&
        lines === other.hunks[index].lines,
    )
  );
}
