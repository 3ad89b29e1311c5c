import { describe, expect, test } from "vitest";
import { parsePatch } from "../../ui/repository/parsePatch.ts";
import {
  createLineTexts,
  patchNotes,
  textNotes,
} from "../../ui/repository/patchNotes.ts";

const BOM = "\ufeff";

/** A patch with these lines, each with its sign. */
function patchOf(lines: readonly string[], header = ""): string {
  const count = (signs: string) =>
    lines.filter((line) => signs.includes(line[0] ?? "")).length;
  return `diff --git a/x b/x\n${header}--- a/x\n+++ b/x\n@@ -1,${count(" -")} +1,${count(" +")} @@\n${lines.join("\n")}\n`;
}

function read(lines: readonly string[], header?: string) {
  const [file] = parsePatch(patchOf(lines, header));
  if (!file) throw new Error("no file");
  const textAt = createLineTexts(file.lines);
  const shown = file.lines.map((_, index) => textAt(index)).slice(1);
  return { notes: patchNotes(file), shown };
}

const NO_NEWLINE = "\\ No newline at end of file";

describe("what cannot be seen in a patch", () => {
  test.each<[string, string[], string[], string[]]>([
    [
      "only line endings",
      ["-a", "-b", "+a\r", "+b\r"],
      ["Only the line endings changed: LF → CRLF."],
      ["a", "b", "a␍", "b␍"],
    ],
    [
      "line endings and more",
      ["-a\r", "-b\r", "+a", "+c"],
      ["Line endings changed: CRLF → LF."],
      ["a␍", "b␍", "a", "c"],
    ],
    [
      "mixed line endings",
      ["-a", "-b", "+a\r", "+b"],
      ["Only the line endings changed: LF → mixed."],
      ["a", "b", "a␍", "b"],
    ],
    [
      "nothing, where all lines have the same",
      [" a\r", "-b\r", "+c\r"],
      [],
      ["a", "b", "c"],
    ],
    [
      "a byte order mark",
      ["-a", `+${BOM}a`],
      ["A byte order mark was put at the start."],
      ["a", "⟨U+FEFF⟩a"],
    ],
    [
      "a byte order mark that is gone",
      [`-${BOM}a`, "+a"],
      ["The byte order mark at the start was removed."],
      ["⟨U+FEFF⟩a", "a"],
    ],
    [
      "a last newline that is gone",
      ["-a", "+a", NO_NEWLINE],
      ["It has no newline at its end."],
      ["a", "a ⟨no newline⟩"],
    ],
    [
      "a last newline that was put",
      ["-a", NO_NEWLINE, "+a"],
      ["A newline was put at its end."],
      ["a ⟨no newline⟩", "a"],
    ],
    [
      "tabs in place of spaces, and spaces at the end",
      ["-    a", "-b", "+\ta", "+b "],
      ["Only spaces, tabs and line endings changed."],
      ["····a", "b", "→\ta", "b·"],
    ],
    [
      "what reorders or hides text",
      ["-a", "+a\u202eb\u200bc"],
      [],
      ["a", "a⟨U+202E⟩b⟨U+200B⟩c"],
    ],
    [
      "a new file with CRLF",
      ["+a\r", "+b\r"],
      ["Line endings: CRLF."],
      ["a", "b"],
    ],
  ])("%s", (_, lines, notes, shown) => {
    expect(read(lines)).toEqual({ notes, shown });
  });

  test.each([
    ["new file mode 120000\n", "It is a link; its text is where it leads."],
    ["new file mode 100755\n", "It is executable."],
    [
      "old mode 100644\nnew mode 100755\n",
      "Its mode changed from 100644 to 100755.",
    ],
  ])("%j", (header, note) => {
    expect(read(["+a"], header).notes).toContain(note);
  });

  test("a name that is not UTF-8 keeps its numbers", () => {
    const [file] = parsePatch(
      'diff --git "a/caf\\351\\\\.txt" "b/caf\\351\\\\.txt"\nnew file mode 100644\n--- /dev/null\n+++ "b/caf\\351\\\\.txt"\n@@ -0,0 +1 @@\n+x\n',
    );
    expect(file?.path).toBe("caf\\351\\134.txt");
  });
});

test.each([
  ["a\nb\n", []],
  ["a\r\nb\r\n", ["CRLF line endings"]],
  ["a\r\nb\nc\r\n", ["Mixed line endings: 2 CRLF, 1 LF"]],
  [`${BOM}a\n`, ["Byte order mark"]],
  ["a", ["No newline at the end"]],
  ["", []],
])("a text in the editor: %j", (text, notes) => {
  expect(textNotes(text)).toEqual(notes);
});
