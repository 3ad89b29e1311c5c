import { glob, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { expect, test } from "vitest";

const SOURCES = join(import.meta.dirname, "..", "src");

/** Files that start programs, or pass on what starts them. */
const KNOWN = [
  "files/reveal.ts",
  "repository/pull-requests.ts",
  "repository/repositories.ts",
];

test("whatever runs programs is known", async () => {
  const runsPrograms = /\bRun\b|[{,]\s*run\s*[,}]/;
  const found: string[] = [];
  for await (const file of glob(join(SOURCES, "**/*.ts"))) {
    const text = await readFile(file, "utf8");
    const code = text.replaceAll(
      /\/\*[\s\S]*?\*\/|^\s*\/\/.*$|"[^"\n]*"/gm,
      "",
    );
    if (runsPrograms.test(code)) found.push(relative(SOURCES, file));
  }
  expect(found.sort()).toEqual(KNOWN);
});
