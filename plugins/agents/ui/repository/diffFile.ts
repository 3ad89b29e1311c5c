import { digestLines } from "../review/digestLines.ts";
import { changedRange, type Range } from "./changedRange.ts";
import { pairLines } from "./pairLines.ts";
import { parsePatch, type FilePatch, type NumberedLine } from "./parsePatch.ts";
import { createLineTexts, patchNotes } from "./patchNotes.ts";

/** Lines longer than this are not compared word by word. */
const MAX_COMPARED_LENGTH = 2_000;
/** Places that a tab takes up at most. */
const TAB_SIZE = 8;

/** What a patch does to one file. What follows from it is worked out when it is first needed: there may be thousands. */
export class DiffFile implements FilePatch {
  readonly path;
  readonly from;
  readonly kind;
  readonly isBinary;
  readonly mode;
  readonly added;
  readonly removed;
  readonly lines;
  readonly hunks;
  /** Tells it from the others of its patch, of which two may have one path. */
  readonly id: string;
  #notes: readonly string[] | undefined;
  #digest: string | undefined;
  #heads: readonly number[] | undefined;
  #pairs: Int32Array | undefined;
  #textAt: ((index: number) => string) | undefined;
  #columns: number | undefined;

  constructor(patch: FilePatch, id: string) {
    this.path = patch.path;
    this.from = patch.from;
    this.kind = patch.kind;
    this.isBinary = patch.isBinary;
    this.mode = patch.mode;
    this.added = patch.added;
    this.removed = patch.removed;
    this.lines = patch.lines;
    this.hunks = patch.hunks;
    this.id = id;
  }

  notes(): readonly string[] {
    return (this.#notes ??= patchNotes(this));
  }

  digest(): string {
    return (this.#digest ??= digestLines(this.lines));
  }

  /** The indexes of the heads of hunks among the lines. */
  heads(): readonly number[] {
    return (this.#heads ??= [...this.lines.keys()].filter(
      (index) => this.lines[index]?.sign === "@",
    ));
  }

  /** How a line is shown, by its index. */
  textAt(index: number): string {
    this.#textAt ??= createLineTexts(this.lines);
    return this.#textAt(index);
  }

  /** What differs in a line from the one that it stands against. */
  changeAt(index: number): Range | undefined {
    this.#pairs ??= pairLines(this.lines);
    const other = this.#pairs[index] ?? -1;
    const [one, two] = [this.lines[index]?.text, this.lines[other]?.text];
    if (one === undefined || two === undefined) return undefined;
    if (Math.max(one.length, two.length) > MAX_COMPARED_LENGTH)
      return undefined;
    return index < other
      ? changedRange(one, two).before
      : changedRange(two, one).after;
  }

  /** Characters in the longest line, about. */
  columns(): number {
    return (this.#columns ??= mostColumns(this.lines));
  }
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
    return old && isSame(old, file) ? old : new DiffFile(file, id);
  });
}

/** Characters in the longest of some lines, about: looking at each letter of each line would take too long. */
function mostColumns(lines: readonly NumberedLine[]): number {
  let most = 0;
  for (const { text } of lines)
    if (
      text.length > most ||
      (text.length * TAB_SIZE > most && text.includes("\t"))
    )
      most = Math.max(most, columnsOf(text));
  return most;
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
