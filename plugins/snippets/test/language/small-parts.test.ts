import { costGrowth, MAX_LINEAR_GROWTH } from "@gantry/build/testing";
import { expect, test } from "vitest";
import { editPlaceholder } from "../../src/language/edit-placeholder.ts";
import { expandBody } from "../../src/language/expand-body.ts";
import {
  applyConversions,
  suggestConversions,
} from "../../src/language/suggest-conversions.ts";
import { readSlug, toSlug, withNumber } from "../../src/language/to-slug.ts";
import { toTitle } from "../../src/language/to-title.ts";

test.each([
  ["Review {{a}}", {}, "Review {{a}}", ["a"]],
  ["Review {{a}}", { a: "" }, "Review {{a}}", ["a"]],
  ["Review {{a}}", { a: "it" }, "Review it", []],
  ["Review {{a=all}}", { a: "" }, "Review all", []],
  ["Review {{a=}}.", {}, "Review .", []],
  ["{{toString}}", {}, "{{toString}}", ["toString"]],
  [
    "{{a}}{{b}}{{c}}",
    { a: "{{b}}", b: "{{{{", c: "$&$1" },
    "{{b}}{{{{$&$1",
    [],
  ],
  ["rm {{a}}", { a: "$(id); `id` 'x' \\" }, "rm $(id); `id` 'x' \\", []],
])("%j with %j is %j", (body, values, text, missing) => {
  expect(expandBody(body, values)).toEqual({ text, missing });
});

test("a text that would be too long is not made", () => {
  const body = "{{a}}".repeat(20_000);
  const value = "x".repeat(1_000_000);
  expect(() => expandBody(body, { a: value }, 1000)).toThrow(RangeError);
  expect(expandBody("{{a}}", { a: "12345" }, 5).text).toBe("12345");
});

test("an edit of the table reaches each use", () => {
  const body = "{{a=1}} {{a}} {{b}} {{{{a}} {{{a}}}";
  expect(editPlaceholder(body, "a", { default: "two", optional: false })).toBe(
    "{{a=two}} {{a=two}} {{b}} {{{{a}} {{{a=two}}}",
  );
  expect(editPlaceholder(body, "a", { default: null, optional: true })).toBe(
    "{{a=}} {{a=}} {{b}} {{{{a}} {{{a=}}}",
  );
  expect(editPlaceholder(body, "a", { default: "", optional: false })).toBe(
    "{{a}} {{a}} {{b}} {{{{a}} {{{a}}}",
  );
  expect(editPlaceholder(body, "c", { default: "x", optional: false })).toBe(
    body,
  );
});

test.each([
  ["a", "x}}y"],
  ["a", "x{{y"],
  ["a", "x}"],
  ["a", "x\ny"],
  ["cwd", "x"],
  ["a b", "x"],
])("{{%s=%j}} cannot be written", (name, value) => {
  expect(() =>
    editPlaceholder("{{a}}", name, { default: value, optional: false }),
  ).toThrow(RangeError);
});

test("blanks of a raw prompt are found where they are", () => {
  const text =
    "Write to [Your Name] about PROJECT_NAME in LANGUAGE, not {{LANGUAGE_CODE}}; [DATE], [1st Été].";
  const conversions = suggestConversions(text);
  expect(conversions.map(({ text: found, name }) => [found, name])).toEqual([
    ["[Your Name]", "your_name"],
    ["PROJECT_NAME", "project_name"],
    ["LANGUAGE", "language"],
    ["[DATE]", "date"],
    ["[1st Été]", "_1st_ete"],
  ]);
  for (const { from, to, text: found } of conversions)
    expect(text.slice(from, to)).toBe(found);
  expect(conversions.map(({ reserved }) => reserved)).toEqual([
    false,
    false,
    false,
    true,
    false,
  ]);
});

test.each([
  "- [ ] one\n- [x] two",
  "See [the page](https://example.com), [a note][1] and [^1].",
  "Answer in JSON over HTTP; see README and the API.",
  "list[index] and array[0]",
  "$HOME_FOLDER ${DATA_FOLDER} process.env.SOME_NAME FILE_NAME.md call_IT(SOME_CALL())",
  "[two\nlines]",
  "{{a=[default one]}}",
])("%j has nothing to fill in", (text) => {
  expect(suggestConversions(text)).toEqual([]);
});

test("only the chosen conversions are made", () => {
  const text = "From [A NAME] to OTHER_NAME to [A NAME]";
  const all = suggestConversions(text);
  expect(applyConversions(text, all)).toBe(
    "From {{a_name}} to {{other_name}} to {{a_name}}",
  );
  expect(
    applyConversions(
      text,
      [all[2], all[0]].filter((one) => one !== undefined),
    ),
  ).toBe("From {{a_name}} to OTHER_NAME to {{a_name}}");
  expect(applyConversions(text, [])).toBe(text);
  expect(applyConversions(`x${text}`, all)).toBe(`x${text}`);
});

test.each<[name: string, textOf: (size: number) => string]>([
  ["[", (size) => "[".repeat(4 * size)],
  ["A_", (size) => "A_".repeat(2 * size)],
  ["a long word before (", (size) => `${"A".repeat(4 * size)}(`],
  ["[AA", (size) => "[AA".repeat(size)],
  ["[aa {{b}} ", (size) => "[aa {{b}} ".repeat(size)],
])("%s over and over is searched in linear time", async (_, textOf) => {
  expect(await costGrowth(textOf, suggestConversions, 1_500)).toBeLessThan(
    MAX_LINEAR_GROWTH,
  );
});

test.each([
  ["review", "review"],
  ["Review-2", "review-2"],
  ["ｆｕｌｌ", "full"],
  ["\u212aelvin", "kelvin"],
  ["constructor", "constructor"],
  ["x".repeat(64), "x".repeat(64)],
  ["x".repeat(65), undefined],
  ["", undefined],
  [" review", undefined],
  ["re view", undefined],
  ["caf\u00e9", undefined],
  ["cafe\u0301", undefined],
  ["\u0130stanbul", undefined],
  ["re\u200bview", undefined],
  ["r\u0435view", undefined],
  ["\u202ereview", undefined],
  ["..", undefined],
  ["a/b", undefined],
  ["a%2fb", undefined],
  ["a_b", undefined],
  ["review\n", undefined],
  ["\ufdfa".repeat(2000), undefined],
])("the slug %j is %j", (given, slug) => {
  expect(readSlug(given)).toBe(slug);
});

test.each([
  ["Review a pull request!", "review-a-pull-request"],
  ["  Été -- à la plage ", "ete-a-la-plage"],
  ["日本語", "snippet"],
  ["", "snippet"],
  ["x".repeat(80), "x".repeat(64)],
  [`${"x".repeat(63)} y`, "x".repeat(63)],
])("the title %j gives the slug %j", (title, slug) => {
  expect(toSlug(title)).toBe(slug);
  expect(readSlug(toSlug(title))).toBe(slug);
});

test("a number fits into the slug", () => {
  expect(withNumber("review", 2)).toBe("review-2");
  expect(withNumber("x".repeat(64), 100)).toBe(`${"x".repeat(60)}-100`);
});

test.each([
  ["Explain  this\nerror", "Explain this error"],
  ["", ""],
  [" \u202e\u0000 ", ""],
  [
    "word ".repeat(30),
    "word word word word word word word word word word word…",
  ],
  ["x".repeat(100), `${"x".repeat(59)}…`],
])("the title of %j is %j", (text, title) => {
  expect(toTitle(text)).toBe(title);
});
