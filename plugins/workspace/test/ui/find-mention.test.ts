import { describe, expect, test } from "vitest";
import { findMention } from "../../ui/composer/findMention.ts";

/** A text with `|` where the cursor is. */
const at = (text: string): [string, number] => [
  text.replace("|", ""),
  text.indexOf("|"),
];

describe("a file", () => {
  test.each([
    ["@|", 0, 1, ""],
    ["see @src/ma|in.ts please", 4, 16, "src/ma"],
    ["line\n@a|", 5, 7, "a"],
  ])("is looked for in %j", (text, from, to, query) => {
    expect(findMention(...at(text))).toEqual({ from, to, query });
  });

  test.each(["me@example.org|", "@a b|", "a|@b", ""])("is not in %j", (text) =>
    expect(findMention(...at(text))).toBeUndefined(),
  );
});
