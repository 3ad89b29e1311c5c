import type { DiffLine } from "../../src/tools/line-diff.ts";

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
}

/** Reads a patch as git prints it, file by file. */
export function parsePatch(patch: string): FilePatch[] {
  const files: FilePatch[] = [];
  let file: FilePatch | undefined;
  let before = 0;
  let after = 0;
  let left = { before: 0, after: 0 };
  for (const line of patch.split("\n")) {
    const isInHunk = left.before > 0 || left.after > 0;
    // Said behind a line, which may be the last of a hunk.
    if (line.startsWith("\\ ")) {
      const last = file?.lines.at(-1);
      if (last) last.noNewline = true;
      continue;
    }
    if (!isInHunk && line.startsWith("diff --git ")) {
      file = {
        path: pathOf(line),
        from: null,
        kind: "modified",
        isBinary: false,
        mode: null,
        added: 0,
        removed: 0,
        lines: [],
      };
      files.push(file);
      continue;
    }
    if (!file) continue;
    const hunk = isInHunk
      ? undefined
      : /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(.*)$/.exec(line);
    if (hunk) {
      before = Number(hunk[1]);
      after = Number(hunk[3]);
      left = { before: Number(hunk[2] ?? 1), after: Number(hunk[4] ?? 1) };
      const text = `Line ${after || before}${hunk[5] ?? ""}`;
      file.lines.push({ sign: "@", text, before: null, after: null });
    } else if (!isInHunk) {
      readHeader(file, line);
    } else if (line.startsWith("+")) {
      file.added += 1;
      left.after -= 1;
      file.lines.push({
        sign: "+",
        text: line.slice(1),
        before: null,
        after: after++,
      });
    } else if (line.startsWith("-")) {
      file.removed += 1;
      left.before -= 1;
      file.lines.push({
        sign: "-",
        text: line.slice(1),
        before: before++,
        after: null,
      });
    } else {
      left.before -= 1;
      left.after -= 1;
      file.lines.push({
        sign: " ",
        text: line.slice(1),
        before: before++,
        after: after++,
      });
    }
  }
  return files;
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

const escapes: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\u0007",
  b: "\b",
  f: "\f",
  v: "\v",
};

/** A name as git quotes it where there are odd characters in it: bytes in octal, and escapes as in C. One that is not UTF-8 keeps its octal numbers. */
function unquote(name: string): string {
  // A name with a space in it is followed by a tab.
  const plain = name.replace(/\t$/, "");
  if (!plain.startsWith('"')) return plain;
  const bytes: number[] = [];
  const encoder = new TextEncoder();
  for (const [part, octal, letter] of plain
    .slice(1, -1)
    .matchAll(/\\([0-7]{3})|\\(.)|[^\\]+/g)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else
      bytes.push(
        ...encoder.encode(letter ? (escapes[letter] ?? letter) : part),
      );
  }
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return decoder.decode(new Uint8Array(bytes));
  } catch {
    return bytes
      .map((byte) =>
        byte > 127 || byte === 92
          ? `\\${byte.toString(8)}`
          : String.fromCharCode(byte),
      )
      .join("");
  }
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
