import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { FINDER_SOURCE } from "../../src/annotate/finder-source.ts";

test("the source that runs in pages is that of the installed package", async () => {
  const source = await readFile(
    new URL(import.meta.resolve("@medv/finder")),
    "utf8",
  );
  const plain = source
    .replace(/^export /gm, "")
    .replace(/^\s*\/\/#.*$/gm, "")
    .trim();
  expect(FINDER_SOURCE).toBe(plain);
});
