import fc from "fast-check";
import { expect, test } from "vitest";
import { cpuCostOf } from "@gantry/build/testing";
import { completeMarkdown } from "../../ui/conversation/completeMarkdown.ts";

test.each([
  [
    "a link with an incomplete address becomes its text",
    "See [the docs](https://exa",
    "See the docs",
  ],
  [
    "a link with an incomplete text becomes that text",
    "See [the do",
    "See the do",
  ],
  [
    "a complete link is kept",
    "See [the docs](https://example.org)",
    "See [the docs](https://example.org)",
  ],
  ["text in brackets is kept", "a [note]", "a [note]"],
  [
    "an incomplete image becomes its alternative text",
    "![a chart](http",
    "a chart",
  ],
  ["strong text is closed", "This is **very imp", "This is **very imp**"],
  ["an opening ** at the end is left out", "This is **", "This is "],
  [
    "complete strong text is kept",
    "This is **very** good",
    "This is **very** good",
  ],
  ["strikethrough text is closed", "~~gone", "~~gone~~"],
  ["code is closed", "Call `run(", "Call `run(`"],
  ["an opening backtick at the end is left out", "Call `", "Call "],
  ["asterisks inside code are not markup", "`a ** b` and", "`a ** b` and"],
  ["a possible heading underline is left out", "Some words\n-", "Some words\n"],
  ["a possible list item is left out", "Some words\n\n1.", "Some words\n\n"],
  ["a dash between words stays", "a - b", "a - b"],
  ["a code block is left alone", "```ts\nconst a = `x", "```ts\nconst a = `x"],
  [
    "text after a code block is completed again",
    "```\na\n```\n\n**b",
    "```\na\n```\n\n**b**",
  ],
  [
    "only the last paragraph is looked at",
    "2 * 3 ** 4\n\nand so on",
    "2 * 3 ** 4\n\nand so on",
  ],
])("%s", (_name, text, completed) => {
  expect(completeMarkdown(text)).toBe(completed);
});

test("no words are added, and a finished paragraph is kept", () => {
  const piece = fc.constantFrom(
    "**",
    "__",
    "`",
    "``",
    "```",
    "[",
    "](",
    "]",
    ")",
    "!",
    "\n",
    "\n\n",
    "-",
    "a",
    " ",
    "word",
    "~~",
    "1.",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 24 }), (pieces) => {
      const text = pieces.join("");
      const completed = completeMarkdown(text);
      const letters = (words: string) => words.replace(/[^a-z]/g, "");
      expect(letters(text).startsWith(letters(completed))).toBe(true);
      expect(completeMarkdown(`${text}\n\ndone`).endsWith("done")).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

test("a long text is completed fast", async () => {
  const text = `${"word [x](y) **b** `c` ".repeat(12_000)}**open`;
  let completed = "";
  expect(
    await cpuCostOf(() => void (completed = completeMarkdown(text))),
  ).toBeLessThan(500);
  expect(completed.endsWith("**open**")).toBe(true);
});
