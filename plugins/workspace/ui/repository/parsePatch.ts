import type { DiffLine } from "@gantry/agent-kit/tools";

/** A line of a difference with where it stands before and after. */
export interface NumberedLine extends DiffLine {
  before: number | null;
  after: number | null;
}

/** What a patch does to one file. */
export interface FilePatch {
  path: string;
  from: string | null;
  kind: "modified" | "added" | "deleted" | "renamed";
  isBinary: boolean;
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
    if (!isInHunk && line.startsWith("diff --git ")) {
      file = {
        path: pathOf(line),
        from: null,
        kind: "modified",
        isBinary: false,
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
    } else if (!line.startsWith("\\")) {
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
  if (line.startsWith("new file")) file.kind = "added";
  if (line.startsWith("deleted file")) file.kind = "deleted";
  if (line.startsWith("rename from ")) {
    file.kind = "renamed";
    file.from = unquote(line.slice("rename from ".length));
  }
  if (line.startsWith("rename to "))
    file.path = unquote(line.slice("rename to ".length));
  if (line.startsWith("+++ ") && line !== "+++ /dev/null")
    file.path = unquote(line.slice(4)).replace(/^b\//, "");
  if (
    line.startsWith("--- ") &&
    line !== "--- /dev/null" &&
    file.kind === "deleted"
  )
    file.path = unquote(line.slice(4)).replace(/^a\//, "");
  if (line.startsWith("Binary files ")) file.isBinary = true;
}

/** The path in `diff --git a/X b/X`, which is all there is where no line changed. */
function pathOf(line: string): string {
  const names = line.slice("diff --git ".length);
  const quoted = /"b\/(?:[^"\\]|\\.)*"$/.exec(names)?.[0];
  if (quoted) return unquote(quoted).slice(2);
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

/** A name as git quotes it where there are odd characters in it: bytes in octal, and escapes as in C. */
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
  return new TextDecoder().decode(new Uint8Array(bytes));
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
