import { spawn } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { runs } from "@gantry/build/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseShell } from "../../src/reading/shell-words.ts";

const texts = (line: string) =>
  parseShell(line)?.map((command) => command.map(({ text }) => text));

describe("what is read of a command line", () => {
  test.each<[string, string[][]]>([
    ["git log", [["git", "log"]]],
    ["a 'b c' \"d e\" f\\ g", [["a", "b c", "d e", "f g"]]],
    ["a'b'\"c\"d", [["abcd"]]],
    ["a | b && c || d; e\nf", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"]]],
    ["a # not ; this\nb a#b", [["a"], ["b", "a#b"]]],
    ["a \\\n b", [["a", "b"]]],
    ["a 2>/dev/null | b 2>&1 >/dev/null &>/dev/null", [["a"], ["b"]]],
    ["a </dev/null; b >/dev/null; c 1>&2", [["a"], ["b"], ["c"]]],
    ["a2>/dev/null", [["a2"]]],
    ["a 'x$y' \"end$\" '`'", [["a", "x$y", "end$", "`"]]],
    ["git show HEAD@{1} stash@{0}", [["git", "show", "HEAD@{1}", "stash@{0}"]]],
    ['a "\\$x \\n"', [["a", "$x \\n"]]],
    ["a ''", [["a", ""]]],
    ["", []],
  ])("%j", (line, expected) => expect(texts(line)).toEqual(expected));

  test.each([
    "a=b c",
    "a b | c=d e --f",
    "a; b+=c d",
    "a[0]=b c",
    "! a",
    "a &&! b",
    "a; time b",
    "if a; then b; fi",
    "a $x",
    'a "$x"',
    "a ${x}",
    "a $(b)",
    'a "$(b)"',
    "a `b`",
    'a "`b`"',
    "a $'b'",
    "a <(b)",
    "(a)",
    "{ a; }",
    "a {b,c}",
    "a x@{b,c}",
    "a > b",
    "a >> b",
    "a >| b",
    "a < b",
    "a << b",
    "a <<< b",
    "a <> b",
    "a >/dev/nullx",
    "a >/dev/null*",
    "a >/dev/null'x'",
    "a >&b",
    "a 2>&1b",
    "a 7>&1",
    "a >>/dev/null",
    "a & b",
    "a &",
    "a |& b",
    "a 'b",
    'a "b',
    "a 'b\\' c",
    "a \\",
    "a\0b",
    "a\rb",
    "a\x1b[2Jb",
  ])("nothing is read of %j", (line) => expect(texts(line)).toBeUndefined());
});

describe("a shell's own reading", () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "gantry-shell-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** Runs lines, each in a shell of its own that has two commands; gives the words that each command was called with. */
  async function called(lines: readonly string[]): Promise<string[][][]> {
    const program = `
      a() { printf '%s\\2' a "$@" $'\\1' >&3; }
      b() { printf '%s\\2' b "$@" $'\\1' >&3; }
      for line; do (eval "$line"); printf '\\4' >&3; done`;
    const shell = spawn("/bin/bash", ["-c", program, "bash", ...lines], {
      cwd: folder,
      env: { PATH: "" },
      stdio: ["ignore", "ignore", "ignore", "pipe"],
    });
    let said = "";
    shell.stdio[3]!.on("data", (chunk: Buffer) => (said += String(chunk)));
    await new Promise((resolve) => shell.once("close", resolve));
    const split = (text: string, mark: string) => text.split(mark).slice(0, -1);
    return split(said, "\x04").map((line) =>
      split(line, "\x01\x02").map((words) => split(words, "\x02")),
    );
  }

  const piece = fc.constantFrom(
    ..."a b x - -- ' '' \" \"\" \\ \\\\ \\' \\\" $ $x ${x} $(b) ` ; ;; & && | || > >> < 2> 2>&1 >/dev/null &> # ! ~ * ? [ ] { } {a,b} @{0} ( ) = a=b % ^".split(
      " ",
    ),
    " ",
    " ",
    " ",
    "\n",
    "\t",
    "\\\n",
    "a ",
    "b ",
    "\nb ",
    "é",
  );

  test("is never another than what was read", async () => {
    const line = fc
      .array(piece, { maxLength: 14 })
      .map((pieces) => `a ${pieces.join("")}`)
      .filter((text) => parseShell(text) !== undefined);
    const lines = fc.array(line, { minLength: 400, maxLength: 400 });
    await fc.assert(
      fc.asyncProperty(lines, async (given) => {
        const done = await called(given);
        expect(done).toHaveLength(given.length);
        for (const [index, commands] of done.entries()) {
          const known = texts(given[index]!)!.map(withoutHome);
          // A line that is no shell at all does nothing; and of "a || b" only the first runs.
          for (const words of commands)
            expect(known, given[index]!).toContainEqual(withoutHome(words));
        }
        expect(await readdir(folder)).toEqual([]);
      }),
      { numRuns: runs(3), endOnFailure: true },
    );
  });

  /** A home folder stands in the place of a tilde, also behind `name=`: nothing that begins an option. */
  function withoutHome(words: readonly string[]): string[] {
    return words.map((word) =>
      word.replace(/^([A-Za-z_]\w*=)?[~/][^]*/, "$1~"),
    );
  }
});
