import fc from "fast-check";
import { costGrowth, MAX_LINEAR_GROWTH, runs } from "@gantry/build/testing";
import { expect, test } from "vitest";
import { healMarkdown } from "../../ui/conversation/healMarkdown.ts";

test.each([
  [
    "a link whose address is coming is its words",
    "See [the docs](https://exa",
    "See the docs",
  ],
  [
    "a link whose words are coming is what there is of them",
    "See [the do",
    "See the do",
  ],
  [
    "a link that is whole stays",
    "See [the docs](https://example.org)",
    "See [the docs](https://example.org)",
  ],
  ["words in brackets stay", "a [note]", "a [note]"],
  ["a picture is its words too", "![a chart](http", "a chart"],
  ["strong words are closed", "This is **very imp", "This is **very imp**"],
  ["strong words that only began are held back", "This is **", "This is "],
  [
    "strong words that are whole stay",
    "This is **very** good",
    "This is **very** good",
  ],
  ["words struck out are closed", "~~gone", "~~gone~~"],
  ["code is closed", "Call `run(", "Call `run(`"],
  ["a backtick alone is held back", "Call `", "Call "],
  ["stars inside code are no strong words", "`a ** b` and", "`a ** b` and"],
  [
    "what may become the underline of a heading is held back",
    "Some words\n-",
    "Some words\n",
  ],
  ["what may become a list is held back", "Some words\n\n1.", "Some words\n\n"],
  ["a dash between words stays", "a - b", "a - b"],
  ["a code block is left alone", "```ts\nconst a = `x", "```ts\nconst a = `x"],
  [
    "after a code block it heals again",
    "```\na\n```\n\n**b",
    "```\na\n```\n\n**b**",
  ],
  [
    "only the last paragraph is looked at",
    "2 * 3 ** 4\n\nand so on",
    "2 * 3 ** 4\n\nand so on",
  ],
])("%s", (_name, text, healed) => {
  expect(healMarkdown(text)).toBe(healed);
});

test("healing never adds words, and heals what is healed already no further", () => {
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
      const healed = healMarkdown(text);
      const letters = (words: string) => words.replace(/[^a-z]/g, "");
      expect(letters(text).startsWith(letters(healed))).toBe(true);
      expect(healMarkdown(`${text}\n\ndone`).endsWith("done")).toBe(true);
    }),
    { numRuns: runs(2000) },
  );
});

test("a long text is healed in linear time", async () => {
  const textOf = (size: number) =>
    `${"word [x](y) **b** `c` ".repeat(size)}**open`;
  expect(healMarkdown(textOf(12_000)).endsWith("**open**")).toBe(true);
  expect(await costGrowth(textOf, healMarkdown, 125)).toBeLessThan(
    MAX_LINEAR_GROWTH,
  );
});
