import type { DiffLine } from "../../src/tools/line-diff.ts";
import { unquote } from "./unquote.ts";

/** A line of a difference with where it stands before and after. */
export interface NumberedLine extends DiffLine {
  before: number | null;
  after: number | null;
  /** The file ends after it, without a newline. */
  noNewline?: boolean;
}

/** What a patch does to one file. */
export interface FilePatch {
  path: string;
  from: string | null;
  kind: "modified" | "added" | "deleted" | "renamed";
  isBinary: boolean;
  /** Of a new file only the one after; `null` if it did not change. */
  mode: { before: string; after: string } | null;
  added: number;
  removed: number;
  lines: NumberedLine[];
  /** In the order of the heads of hunks among the lines. */
  hunks: Hunk[];
}

/** A hunk as it stands in a patch. */
export interface Hunk {
  /** Its first line. */
  header: string;
  /** The lines below that, each with its newline. */
  lines: string;
  /** The end of the patch did not cut it off. */
  isWhole: boolean;
}

/** Where a reader of a patch is: the next lines of both sides, and how many of them the hunk still has. */
interface Place {
  before: number;
  after: number;
  left: { before: number; after: number };
}

/** Lines that are read of a patch; a browser cannot lay out many times as many rows. */
export const MAX_LINES = 500_000;

/** Reads a patch as git prints it, file by file. */
export function parsePatch(patch: string): FilePatch[] {
  const files: FilePatch[] = [];
  let file: FilePatch | undefined;
  const at: Place = { before: 0, after: 0, left: { before: 0, after: 0 } };
  /** Where the lines of the current hunk begin and end. */
  const body = { from: 0, to: 0 };
  let count = 0;
  const endHunk = () => {
    const hunk = file?.hunks.at(-1);
    if (!hunk) return;
    const lines = patch.slice(body.from, body.to);
    hunk.lines = lines === "" || lines.endsWith("\n") ? lines : `${lines}\n`;
    hunk.isWhole = at.left.before <= 0 && at.left.after <= 0;
  };
  for (let start = 0; start < patch.length && count < MAX_LINES;) {
    const found = patch.indexOf("\n", start);
    const end = found < 0 ? patch.length : found;
    const next = end + 1;
    const isInHunk = at.left.before > 0 || at.left.after > 0;
    // Said behind a line, which may be the last of a hunk.
    if (patch.startsWith("\\ ", start)) {
      const last = file?.lines.at(-1);
      if (last) last.noNewline = true;
      body.to = next;
    } else if (!isInHunk && patch.startsWith("diff --git ", start)) {
      endHunk();
      file = createPatch(pathOf(patch.slice(start, end)));
      files.push(file);
    } else if (file && isInHunk) {
      takeLine(file, patch[start], patch.slice(start + 1, end), at);
      count += 1;
      body.to = next;
    } else if (file && patch.startsWith("@@ ", start)) {
      endHunk();
      if (takeHunk(file, patch.slice(start, end), at))
        body.from = body.to = next;
    } else if (file) {
      readHeader(file, patch.slice(start, end));
    }
    start = next;
  }
  endHunk();
  return files;
}

/** A patch of one file without any lines. */
export function createPatch(path: string): FilePatch {
  return {
    path,
    from: null,
    kind: "modified",
    isBinary: false,
    mode: null,
    added: 0,
    removed: 0,
    lines: [],
    hunks: [],
  };
}

/** Takes the head of a hunk. Tells whether the line is one. */
function takeHunk(file: FilePatch, header: string, at: Place): boolean {
  const found = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(.*)$/.exec(header);
  if (!found) return false;
  at.before = Number(found[1]);
  at.after = Number(found[3]);
  at.left = { before: Number(found[2] ?? 1), after: Number(found[4] ?? 1) };
  const text = `Line ${at.after || at.before}${found[5] ?? ""}`;
  file.lines.push({ sign: "@", text, before: null, after: null });
  file.hunks.push({ header, lines: "", isWhole: false });
  return true;
}

function takeLine(
  file: FilePatch,
  first: string | undefined,
  text: string,
  at: Place,
): void {
  const sign = first === "+" || first === "-" ? first : " ";
  if (sign === "+") file.added += 1;
  else at.left.before -= 1;
  if (sign === "-") file.removed += 1;
  else at.left.after -= 1;
  file.lines.push({
    sign,
    text,
    before: sign === "+" ? null : at.before++,
    after: sign === "-" ? null : at.after++,
  });
}

function readHeader(file: FilePatch, line: string): void {
  if (line.startsWith("new file")) {
    file.kind = "added";
    file.mode = { before: "", after: line.slice("new file mode ".length) };
  }
  if (line.startsWith("old mode "))
    file.mode = { before: line.slice("old mode ".length), after: "" };
  if (line.startsWith("new mode ") && file.mode)
    file.mode.after = line.slice("new mode ".length);
  if (line.startsWith("deleted file")) file.kind = "deleted";
  if (line.startsWith("rename from ")) {
    file.kind = "renamed";
    file.from = unquote(line.slice("rename from ".length));
  }
  if (line.startsWith("rename to "))
    file.path = unquote(line.slice("rename to ".length));
  if (line.startsWith("+++ ") && line !== "+++ /dev/null")
    file.path = withoutSide(unquote(line.slice(4)), "b");
  if (
    line.startsWith("--- ") &&
    line !== "--- /dev/null" &&
    file.kind === "deleted"
  )
    file.path = withoutSide(unquote(line.slice(4)), "a");
  if (line.startsWith("Binary files ")) file.isBinary = true;
}

/** The path in `diff --git a/X b/X`, which is all there is where no line changed. */
function pathOf(line: string): string {
  const names = line.slice("diff --git ".length);
  const quoted = /"b\/(?:[^"\\]|\\.)*"$/.exec(names)?.[0];
  if (quoted) return withoutSide(unquote(quoted), "b");
  // Both are the same but for their first letter.
  const length = (names.length - 1) / 2;
  const half = names.slice(length + 1);
  return half.startsWith("b/") && names.startsWith(`a/${half.slice(2)}`)
    ? half.slice(2)
    : names.slice(names.lastIndexOf(" b/") + 3);
}

/** The path behind `a/` or `b/`. */
function withoutSide(name: string, side: "a" | "b"): string {
  return name.startsWith(`${side}/`) ? name.slice(2) : name;
}

/** Numbers the lines of a difference, and leaves out what is far from any change. */
export function numberLines(
  lines: readonly DiffLine[],
  context = 3,
): NumberedLine[] {
  let before = 1;
  let after = 1;
  const numbered = lines.map((line): NumberedLine => ({
    ...line,
    before: line.sign === "+" ? null : before++,
    after: line.sign === "-" ? null : after++,
  }));
  const near = new Set<number>();
  for (const [index, { sign }] of numbered.entries()) {
    if (sign === " ") continue;
    for (let at = index - context; at <= index + context; at += 1) near.add(at);
  }
  return numbered.flatMap((line, index): NumberedLine[] => {
    if (!near.has(index)) return [];
    if (index === 0 || near.has(index - 1)) return [line];
    const text = `Line ${line.after ?? line.before ?? 1}`;
    return [{ sign: "@", text, before: null, after: null }, line];
  });
}
