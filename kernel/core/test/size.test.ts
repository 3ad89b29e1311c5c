import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const SOURCES = fileURLToPath(new URL("../src/", import.meta.url));
/** What does not have to be here belongs into one of the packages below, or into a plugin. */
const MAX_LINES = 3_500;

/** Lines of a source without its comments, imports and blank lines. */
function countLines(source: string): number {
  const code = source
    .replace(/\/\*[^]*?\*\//g, "")
    .replace(/^import [^]*?;$/gm, "");
  return code.split("\n").filter((line) => !/^\s*(\/\/.*)?$/.test(line)).length;
}

test("comments, imports and blank lines are not counted", () => {
  const source = `import { a } from "a";
import type {
  B,
} from "b";

/**
 * Doubles it.
 */
// Twice.
export const c = (b: B) => a(b, 2); // code
`;
  expect(countLines(source)).toBe(1);
});

test("the kernel proper stays small", () => {
  const lines = globSync("**/*.ts", { cwd: SOURCES }).map((name) =>
    countLines(readFileSync(SOURCES + name, "utf8")),
  );
  expect(lines.reduce((sum, each) => sum + each, 0)).toBeLessThan(MAX_LINES);
});
