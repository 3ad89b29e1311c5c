import { cases, costGrowth, MAX_LINEAR_GROWTH } from "@gantry/build/testing";
import { expect, test } from "vitest";
import { listPlaceholders } from "../../src/language/list-placeholders.ts";
import { MAX_PROBLEMS, scanBody } from "../../src/language/scan-body.ts";

const placeholder = (name: string, more: object = {}) => ({
  name,
  default: null,
  optional: false,
  reserved: false,
  ...more,
});

test.each([
  ["{{name}}", [placeholder("name")]],
  ["{{name=default}}", [placeholder("name", { default: "default" })]],
  ["{{name=}}", [placeholder("name", { optional: true })]],
  ["{{_a9}}{{B}}", [placeholder("_a9"), placeholder("B")]],
  ["{{a= x = y }}", [placeholder("a", { default: " x = y " })]],
  ["{{a=one}two{}}", [placeholder("a", { default: "one}two{" })]],
  ["{{toString=x}}", [placeholder("toString", { default: "x" })]],
  [`{{${"n".repeat(40)}}}`, [placeholder("n".repeat(40))]],
  [
    "{{cwd}} {{workspace}} {{branch}} {{date}} {{agent}} {{cli}}",
    ["cwd", "workspace", "branch", "date", "agent", "cli"].map((name) =>
      placeholder(name, { reserved: true }),
    ),
  ],
  ["{{Cwd}}", [placeholder("Cwd")]],
  ["{ {a} } }}", []],
])("%j has the placeholders %j", (body, table) => {
  expect(scanBody(body).problems).toEqual([]);
  expect(listPlaceholders(body)).toEqual(table);
});

test("a name that is used more than once is one placeholder, and its first = decides", () => {
  expect(
    listPlaceholders("{{b}} {{a}} {{a=1}} {{a=2}} {{b=}} {{b=3}}"),
  ).toEqual([
    placeholder("b", { optional: true }),
    placeholder("a", { default: "1" }),
  ]);
});

test.each([
  ["{{{{", "{{"],
  ["{{{{a}}", "{{a}}"],
  ["{{{{{", "{{{"],
  ["{{{{{{{{", "{{{{"],
  ["{{{{{{a}}", "{{<a>"],
  ["{{{a}}}", "{<a>}"],
  ["{{{{{{{a}}", "{{{<a>"],
  ["{{a}}{{a}}}}", "<a><a>}}"],
  ["{{a=x}}}", "<a>}"],
  ["{{{{a={{b}}", "{{a=<b>"],
])("%j stands for %j", (body, text) => {
  const { parts, problems } = scanBody(body);
  expect(problems).toEqual([]);
  expect(
    parts
      .map((part) => (part.kind === "text" ? part.text : `<${part.name}>`))
      .join(""),
  ).toBe(text);
});

test.each([
  ["{{", 1, 1, "a name"],
  ["a\nbc {{}} d", 2, 4, "a name"],
  ["a\r\nb {{", 2, 3, "a name"],
  ["{{name", 1, 1, "}}"],
  ["{{name}", 1, 3 + 4, "}} or ="],
  ["{{name=default", 1, 1, "}}"],
  ["{{name=a}", 1, 1, "}}"],
  ["{{name\n}}", 1, 1, "}}"],
  ["{{a=1\n2}}", 1, 1, "}}"],
  ["{{ name }}", 1, 3, "a name"],
  ["{{name }}", 1, 7, "}} or ="],
  ["{{a-b}}", 1, 4, "}} or ="],
  ["{{1a}}", 1, 3, "a name"],
  ["{{=x}}", 1, 3, "a name"],
  ["{{é}}", 1, 3, "a name"],
  ["{{a\u0000}}", 1, 4, "}} or ="],
  ["{{\u202ea}}", 1, 3, "a name"],
  ["{{a={{b}}}}", 1, 1, "}}"],
  ["{{a{{b}}", 1, 1, "}}"],
  [`{{${"n".repeat(41)}}}`, 1, 3, "a name of at most 40 characters"],
  ["{{cwd=/tmp}}", 1, 6, "}}"],
  ["{{date=}}", 1, 7, "}}"],
])(
  "%j is broken at line %i, column %i: expected %s",
  (body, line, column, expected) => {
    const { parts, problems } = scanBody(body);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ line, column });
    expect(problems[0]?.expected).toContain(expected);
    expect(problems[0]?.message).toMatch(/^[^\p{C}]+\.$/u);
    // What is broken stays as it is.
    expect(parts.map(({ from, to }) => body.slice(from, to)).join("")).toBe(
      body,
    );
  },
);

test("scanning continues after what is broken", () => {
  const { parts, problems } = scanBody("{{ a }} {{b}} {{c\n{{d}} {{e={{f}}");
  expect(problems.map(({ line, column }) => [line, column])).toEqual([
    [1, 3],
    [1, 15],
    [2, 7],
  ]);
  expect(
    parts.flatMap((part) => (part.kind === "text" ? [] : [part.name])),
  ).toEqual(["b", "d", "f"]);
});

test("the 33rd name is one too many, and a 33rd use of one is not", () => {
  const names = Array.from({ length: 32 }, (_, index) => `{{n${index}}}`);
  const full = names.join("") + names.join("");
  expect(scanBody(full).problems).toEqual([]);
  expect(scanBody(`${full}{{more}}`).problems).toMatchObject([
    { from: full.length, to: full.length + 8 },
  ]);
  expect(listPlaceholders(`${full}{{more}}`)).toHaveLength(32);
});

const numbered = (count: number) =>
  Array.from({ length: count }, (_, i) => `{{n${i}}}`).join("");

const REPEATED: [
  name: string,
  bodyOf: (size: number) => string,
  count: number,
][] = [
  ["{{", (size) => "{{".repeat(size), 0],
  ["{{a=", (size) => "{{a=".repeat(size), MAX_PROBLEMS],
  ["{{{{", (size) => "{{{{".repeat(size), 0],
  ["{{a ", (size) => "{{a ".repeat(size), MAX_PROBLEMS],
  ["{{a and a line", (size) => "{{a\n".repeat(size), MAX_PROBLEMS],
  ["a default without an end", (size) => `{{a=${"x".repeat(20 * size)}`, 1],
  ["a long name", (size) => `{{${"x".repeat(20 * size)}}}`, 1],
  ["{ ", (size) => "{ ".repeat(10 * size), 0],
  ["many names", numbered, MAX_PROBLEMS],
];
test.each(cases(REPEATED, 4))(
  "%s over and over is read in linear time",
  async (_, bodyOf, count) => {
    const body = bodyOf(50_000);
    const { parts, problems } = scanBody(body);
    expect(problems).toHaveLength(count);
    expect(parts.at(-1)?.to).toBe(body.length);
    expect(await costGrowth(bodyOf, scanBody, 3_000)).toBeLessThan(
      MAX_LINEAR_GROWTH,
    );
  },
);
