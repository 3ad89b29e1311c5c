import { costGrowth, MAX_LINEAR_GROWTH } from "@gantry/build/testing";
import { expect, test } from "vitest";
import type { Snippet } from "../src/contract.ts";
import { startSnippets } from "./support/snippets.ts";

const many = (count: number, prefix = "n") =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);

/** What is refused when it is saved, new or changed. */
const cases: [name: string, fields: object, code: string][] = [
  ["an empty body", { body: "" }, "INPUT_INVALID"],
  ["a blank body", { body: " \n" }, "INPUT_INVALID"],
  ["a body that is no text", { body: 5 }, "INPUT_INVALID"],
  [
    "a body of 100,001 characters",
    { body: "x".repeat(100_001) },
    "INPUT_INVALID",
  ],
  ["half of a character", { body: "\ud83d" }, "INPUT_INVALID"],
  ["a blank title", { title: " " }, "INPUT_INVALID"],
  ["a title of 201 characters", { title: "x".repeat(201) }, "INPUT_INVALID"],
  ["a title of two lines", { title: "a\nb" }, "INPUT_INVALID"],
  [
    "a description of 501 characters",
    { description: "x".repeat(501) },
    "INPUT_INVALID",
  ],
  ["another kind", { kind: "script" }, "INPUT_INVALID"],
  ["a tag that is no text", { tags: [1] }, "INPUT_INVALID"],
  ["an empty tag", { tags: [""] }, "INPUT_INVALID"],
  ["a tag twice", { tags: ["a", "A"] }, "INPUT_INVALID"],
  ["21 tags", { tags: many(21) }, "INPUT_INVALID"],
  ["an unknown field", { color: "red" }, "INPUT_INVALID"],
  ["an id", { id: `snp_${"a".repeat(24)}` }, "INPUT_INVALID"],
  [
    "a value with a comma",
    { body: "{{a}}", placeholders: [{ name: "a", enum: ["x,y"] }] },
    "INPUT_INVALID",
  ],
  [
    "a value twice",
    { body: "{{a}}", placeholders: [{ name: "a", enum: ["x", "x"] }] },
    "INPUT_INVALID",
  ],
  [
    "101 values",
    { body: "{{a}}", placeholders: [{ name: "a", enum: many(101) }] },
    "INPUT_INVALID",
  ],
  [
    "a list for a name that is not there",
    { body: "{{a}}", placeholders: [{ name: "b", enum: ["x"] }] },
    "SNIPPET_PLACEHOLDER_INVALID",
  ],
  [
    "two rows for a name",
    { body: "{{a}}", placeholders: [{ name: "a" }, { name: "a" }] },
    "SNIPPET_PLACEHOLDER_INVALID",
  ],
  [
    "a list for a reserved name",
    { body: "{{cwd}}", placeholders: [{ name: "cwd", enum: ["x"] }] },
    "SNIPPET_PLACEHOLDER_INVALID",
  ],
  [
    "a default other than in the body",
    { body: "{{a=1}}", placeholders: [{ name: "a", default: "2" }] },
    "SNIPPET_PLACEHOLDER_INVALID",
  ],
  [
    "optional other than in the body",
    { body: "{{a}}", placeholders: [{ name: "a", optional: true }] },
    "SNIPPET_PLACEHOLDER_INVALID",
  ],
  [
    "a default outside of its list",
    { body: "{{a=z}}", placeholders: [{ name: "a", enum: ["x", "y"] }] },
    "SNIPPET_ENUM",
  ],
  [
    "33 names",
    {
      body: many(33)
        .map((name) => `{{${name}}}`)
        .join(" "),
    },
    "SNIPPET_BODY_INVALID",
  ],
  [
    "10,001 names",
    {
      body: many(10_001, "")
        .map((name) => `{{n${name}}}`)
        .join("")
        .slice(0, 99_999),
    },
    "SNIPPET_BODY_INVALID",
  ],
  ...[
    "{{",
    "{{a",
    "{{a=",
    "{{ a }}",
    "{{a={{b}}}}",
    "{{}}",
    "{{cwd=x}}",
    "{{a\u0000}}",
    "{{\u202ea}}",
    `{{${"x".repeat(10_240)}}}`,
    "{{a=".repeat(25_000),
    "{{a ".repeat(25_000),
  ].map((broken): [string, object, string] => [
    `the body ${JSON.stringify(broken).slice(0, 30)}`,
    { body: broken },
    "SNIPPET_BODY_INVALID",
  ]),
];

test("what cannot be saved is refused with its code, new and changed, and nothing changes", async () => {
  await using kernel = await startSnippets();
  const saved = await kernel.save();
  const before = kernel.events.all().length;
  for (const [name, fields, code] of cases) {
    const created = await kernel.api.post("/api/snips", {
      body: "x",
      ...fields,
    });
    expect(created, `${name}, new`).toMatchObject({
      status: 400,
      body: { code },
    });
    const changed = await kernel.api.patch(`/api/snips/${saved.id}`, fields);
    expect(changed, `${name}, changed`).toMatchObject({
      status: 400,
      body: { code },
    });
  }
  expect(await kernel.list()).toEqual([saved]);
  expect(kernel.events.all()).toHaveLength(before);
});

test.each(["{{a=", "{{a "])(
  "a body of %s over and over is refused in linear time",
  async (part) => {
    await using kernel = await startSnippets();
    const bodyOf = (count: number) => ({ body: part.repeat(count) });
    const refuse = (body: object) => kernel.api.post("/api/snips", body);
    expect(await costGrowth(bodyOf, refuse, 1_500)).toBeLessThan(
      MAX_LINEAR_GROWTH,
    );
    expect(await kernel.list()).toEqual([]);
  },
);

test("a broken body is refused with the place of all that is broken", async () => {
  await using kernel = await startSnippets();
  expect(
    await kernel.api.post("/api/snips", { body: "One {{a}}\ntwo {{ b }} {{c" }),
  ).toMatchObject({
    status: 400,
    body: {
      code: "SNIPPET_BODY_INVALID",
      detail: expect.stringContaining("Line 2, column 7") as string,
      errors: [
        {
          path: "body",
          message: expect.stringContaining("Line 2, column 7") as string,
        },
        {
          path: "body",
          message: expect.stringContaining("Line 2, column 13") as string,
        },
      ],
    },
  });
});

test("the largest that there may be is saved", async () => {
  await using kernel = await startSnippets();
  const names = many(32);
  const body = names
    .map((name) => `{{${name}=x}}`)
    .join("")
    .padEnd(100_000, "ü");
  const saved = await kernel.save({
    title: "x".repeat(200),
    description: "x".repeat(500),
    tags: many(20),
    body,
    placeholders: names.map((name) => ({ name, enum: ["x", ...many(99)] })),
  });
  expect(
    (await kernel.api.get<Snippet>(`/api/snips/${saved.id}`)).body,
  ).toEqual(saved);
});

const WRONG_VALUES: readonly [input: object, code: string, words: string][] = [
  [{ values: { b: "x" } }, "SNIPPET_VALUE_UNKNOWN", '"b"'],
  [{ values: { toString: "x" } }, "SNIPPET_VALUE_UNKNOWN", '"toString"'],
  [{ values: { date: "x" } }, "SNIPPET_VALUE_RESERVED", '"date"'],
  [
    { values: { choice: "z" } },
    "SNIPPET_ENUM",
    '"z" is not allowed for choice; it is one of: x, y',
  ],
  [{ values: { a: "x".repeat(500_001) } }, "INPUT_INVALID", "values.a"],
  [{ values: { a: 5 } }, "INPUT_INVALID", "values.a"],
  [{ values: { a: "\udc00" } }, "INPUT_INVALID", "values.a"],
  [{ values: ["a"] }, "INPUT_INVALID", "values"],
  [{ context: { a: "x" } }, "INPUT_INVALID", "context"],
  [{ color: "red" }, "INPUT_INVALID", "color"],
];

test("wrong values are refused with what is wrong", async () => {
  await using kernel = await startSnippets();
  const { id } = await kernel.save({
    body: "{{a}} {{choice=x}} {{date}}",
    placeholders: [{ name: "choice", enum: ["x", "y"] }],
  });
  for (const [input, code, words] of WRONG_VALUES) {
    const answer = await kernel.api.post(`/api/snips/${id}/expand`, input);
    expect(answer).toMatchObject({ status: 400, body: { code } });
    expect(JSON.stringify(answer.body).replaceAll("\\", "")).toContain(words);
  }
});

test("a value that a body uses often cannot fill the memory", async () => {
  await using kernel = await startSnippets();
  const { id } = await kernel.save({ body: "{{a}}".repeat(20_000) });
  const expand = (length: number) =>
    kernel.api.post(`/api/snips/${id}/expand`, {
      values: { a: "x".repeat(length) },
    });
  expect(await expand(500_000)).toMatchObject({
    status: 400,
    body: { code: "SNIPPET_TOO_LONG" },
  });
  expect(await expand(26)).toMatchObject({ status: 400 });
  expect(await expand(25)).toMatchObject({
    status: 200,
    body: { text: "x".repeat(500_000) },
  });
});
