import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { runs, temporaryFolder } from "@gantry/build/testing";
import { expect, test } from "vitest";
import { formatConfig, parseConfig } from "../src/config-text.ts";
import type { ConfigEntry } from "../src/config-text.ts";
import { keepSettings } from "../src/kept-settings.ts";

/** What git reads of a text: names and values in the form of `git config --list -z`, or nothing if it complains. */
async function readWithGit(text: string): Promise<string[] | undefined> {
  const file = join(await temporaryFolder(), "config");
  await writeFile(file, text, "latin1");
  return await new Promise((resolve) =>
    execFile(
      "git",
      ["config", "--file", file, "--no-includes", "--list", "-z"],
      { encoding: "latin1" },
      (error, stdout) =>
        resolve(error ? undefined : stdout.split("\0").slice(0, -1)),
    ),
  );
}

function toLines(entries: readonly ConfigEntry[]): string[] {
  return entries.map(({ section, subsection, key, value }) => {
    const isAlone = section === "" && subsection === undefined;
    const name = isAlone
      ? [key]
      : [section, subsection, key].filter((part) => part !== undefined);
    return `${name.join(".")}${value === null ? "" : `\n${value}`}`;
  });
}

const piece = fc.constantFrom(
  ...'[ ] " \' \\ = # ; . - a B 0 core x.y true false \\n \\t \\\\ \\" \\x é'.split(
    " ",
  ),
  ...[" ", "\t", "\n", "\r\n", "\r", "\\\n", "[core]\n", '[a "b"]\n'],
  ...["key = value\n", "key\n", 'key = "a ; b" # c\n', '[Remote "Or\\"i"]'],
);

test("what git reads of a configuration is what we read, and what it refuses we refuse", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join("")),
      async (text) => {
        const ours = parseConfig(text);
        const theirs = await readWithGit(text);
        // Later versions of git keep a tab within a value.
        const tidy = (line: string) => line.replace(/[\t\r]/g, " ");
        expect(
          typeof ours === "number" ? undefined : toLines(ours).map(tidy),
        ).toEqual(theirs?.map(tidy));
      },
    ),
    { numRuns: runs(200) },
  );
});

const word = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/);
const entry = fc.record({
  section: word,
  subsection: fc.option(fc.string().map(printable), { nil: undefined }),
  key: word,
  value: fc.option(fc.string({ unit: "grapheme" }).map(printable)),
});

/** Letters of Latin-1 that a configuration can hold. */
function printable(text: string): string {
  return text.replace(/[^\t\u0020-\u007e\u00a0-\u00ff]/g, "é");
}

test("what is written is read as it was", () => {
  fc.assert(
    fc.property(fc.array(entry), (entries) => {
      expect(parseConfig(formatConfig(entries))).toEqual(entries);
    }),
  );
});

test("git reads what is written too, whatever the values hold", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(entry, { maxLength: 8 }), async (entries) => {
      expect(await readWithGit(formatConfig(entries))).toEqual(
        toLines(entries),
      );
    }),
    { numRuns: runs(40) },
  );
});

test.each([
  ["[core]\n\tfsmonitor = x\n", []],
  ['[include]\n\tpath = x\n[includeIf "gitdir:/"]\n\tpath = x\n', []],
  ['[filter "lfs"]\n\tclean = x\n\trequired\n', []],
  ['[diff "x"]\n\ttextconv = x\n\tbinary = true\n', []],
  ['[core "x"]\n\tbare = true\n[branch]\n\tmerge = x\n', []],
  ['[remote "a"]\n\turl = x\n\tvcs = x\n\tuploadpack = x\n', ["remote.a.url"]],
  ['[branch "a"]\n\tmerge = refs/x\n\tdescription = x\n', ["branch.a.merge"]],
  ["[remote]\n\tpushDefault = a\n", ["remote.pushdefault"]],
  ["[core]\n\tworktree = x\n\tbare\n", ["core.bare"]],
  [
    "[extensions]\n\tobjectFormat = sha256\n\tworktreeConfig\n\tpartialClone = x\n\tnew = 1\n",
    ["extensions.objectformat", "extensions.new"],
  ],
  ['[remote "a\\nb"]\n\turl = "x\\ny"\n', []],
  ["[__proto__]\n\tx = y\n[constructor]\n\tname = x\n", []],
])("of %j git gets to see %j", (text, names) => {
  const entries = parseConfig(text);
  const kept = typeof entries === "number" ? [] : keepSettings(entries);
  expect(
    kept.map(({ section, subsection, key }) =>
      [section, subsection, key].filter((part) => part !== undefined).join("."),
    ),
  ).toEqual(names);
});
