import fc from "fast-check";
import { expect, expectTypeOf, test } from "vitest";
import * as z from "zod";
import type { Schema, SchemaOutput } from "../src/index.ts";
import {
  ANY_KEY,
  dictionaryOf,
  okAnswer,
  pageOf,
  pageQuery,
  storedFields,
  timestamp,
} from "../src/zod.ts";

const valid = (schema: z.ZodType, value: unknown) =>
  schema.safeParse(value).success;

test("the query of a listing has a limit of 50 unless it says another", () => {
  expect(pageQuery.parse({})).toEqual({ limit: 50 });
  expect(pageQuery.parse({ limit: "7", cursor: "next" })).toEqual({
    limit: 7,
    cursor: "next",
  });
});

test("a limit is a whole number of 1 to 500, and nothing else", () => {
  fc.assert(
    fc.property(fc.integer({ min: -600, max: 1200 }), (limit) => {
      expect(valid(pageQuery, { limit: String(limit) })).toBe(
        limit >= 1 && limit <= 500,
      );
    }),
  );
  for (const limit of [
    "",
    " ",
    "1.5",
    "ten",
    "NaN",
    "Infinity",
    "5;6",
    "5,6",
    "0x10",
    "1e2",
    " 5",
    "+5",
  ])
    expect(valid(pageQuery, { limit })).toBe(false);
});

test("a query that is not declared is refused, also after filters were added", () => {
  const query = pageQuery.extend({ state: z.enum(["open", "done"]) });
  expect(valid(query, { state: "open" })).toBe(true);
  expect(valid(query, { state: "open", sate: "open" })).toBe(false);
  expect(valid(pageQuery, { offset: "3" })).toBe(false);
  expect(valid(pageQuery, { cursor: "x".repeat(1025) })).toBe(false);
});

test("a page has items and says where the next begins, or that there is none", () => {
  const page = pageOf(z.object({ id: z.string() }));
  expect(valid(page, { items: [], nextCursor: null })).toBe(true);
  expect(valid(page, { items: [{ id: "a" }], nextCursor: "b" })).toBe(true);
  expect(valid(page, { items: [{ id: 1 }], nextCursor: null })).toBe(false);
  expect(valid(page, { items: null, nextCursor: null })).toBe(false);
  expect(valid(page, { items: [] })).toBe(false);
  expectTypeOf<z.infer<typeof page>>().toEqualTypeOf<{
    items: { id: string }[];
    nextCursor: string | null;
  }>();
});

test("an operation that has nothing to say says so", () => {
  expect(valid(okAnswer, { ok: true })).toBe(true);
  expect(valid(okAnswer, { ok: false })).toBe(false);
});

test("every moment as JavaScript writes it is a timestamp", () => {
  const moment = fc.date({
    min: new Date("0001-01-01T00:00:00Z"),
    max: new Date("9999-12-31T23:59:59.999Z"),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(moment, (date) => {
      expect(valid(timestamp, date.toISOString())).toBe(true);
    }),
  );
});

test.each([
  "2026-11-22",
  "2026-11-22T10:00:00Z",
  "2026-11-22T10:00:00.1234Z",
  "2026-11-22T10:00:00.123",
  "2026-11-22T10:00:00.123+01:00",
  "2026-02-30T10:00:00.000Z",
  "2026-11-22T24:00:00.000Z",
  "2026-11-22 10:00:00.000Z",
])("%j is no timestamp", (text) => {
  expect(valid(timestamp, text)).toBe(false);
});

test("a stored resource has its four fields, and a revision that counts from one", () => {
  const Note = z.strictObject({ ...storedFields, title: z.string() });
  const at = "2026-11-22T10:00:00.000Z";
  const note = {
    id: "not_a",
    createdAt: at,
    updatedAt: at,
    revision: 1,
    title: "Milk",
  };
  expect(Note.parse(note)).toEqual(note);
  for (const revision of [0, -1, 1.5, "1"])
    expect(valid(Note, { ...note, revision })).toBe(false);
  expect(valid(Note, { ...note, updatedAt: undefined })).toBe(false);
});

test("a zod schema is what the contract calls a schema: it validates and describes itself", async () => {
  const schema: Schema<{ limit: number; cursor?: string | undefined }> =
    pageQuery;
  expectTypeOf<SchemaOutput<typeof pageQuery>>().toEqualTypeOf<
    z.infer<typeof pageQuery>
  >();
  const checked = await schema["~standard"].validate({ limit: "0" });
  expect(checked.issues?.[0]?.path).toEqual(["limit"]);
  expect(
    schema["~standard"].jsonSchema.input({ target: "draft-2020-12" }),
  ).toMatchObject({ properties: { limit: { maximum: 500, default: 50 } } });
});

test("a dictionary gives what was sent under each name, and nothing under any other", () => {
  const names = fc.oneof(
    fc.constantFrom(...Object.getOwnPropertyNames(Object.prototype)),
    fc.string(),
  );
  const values = z.strictObject({ values: dictionaryOf(z.string().max(3)) });
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.tuple(names, fc.string({ maxLength: 3 })), {
        selector: ([name]) => name,
      }),
      names,
      (entries, other) => {
        const sent = Object.fromEntries(entries);
        const text = JSON.stringify({ values: sent });
        const read = values.parse(JSON.parse(text)).values;
        expect(Object.entries(read)).toEqual(Object.entries(sent));
        expect(Object.getPrototypeOf(read)).toBeNull();
        expect(read[other]).toBe(new Map(entries).get(other));
      },
    ),
  );
  const none = dictionaryOf(z.string()).prefault({}).parse(undefined);
  expect(Object.getPrototypeOf(none)).toBeNull();
});

test("a dictionary judges each value and says under which name it found one wanting", () => {
  const lengths = z.strictObject({
    lengths: dictionaryOf(z.array(z.int().max(9)).max(2)),
  });
  const issues = (text: string) =>
    lengths.safeParse(JSON.parse(text)).error?.issues.map(({ path }) => path);
  expect(issues('{"lengths":{"__proto__":[1,99],"a":[1],"b":"x"}}')).toEqual([
    ["lengths", "__proto__", 1],
    ["lengths", "b"],
  ]);
  for (const value of ["[]", "1", '"a"', "null"])
    expect(issues(`{"lengths":${value}}`), value).toEqual([["lengths"]]);
  expect(valid(dictionaryOf(z.string()), new Map([["a", "b"]]))).toBe(false);
  expect(valid(dictionaryOf(z.string()), new Date())).toBe(false);
});

test("a dictionary is described as an object whose keys are data", () => {
  const { jsonSchema } = dictionaryOf(z.string().max(3))["~standard"];
  const description = {
    type: "object",
    additionalProperties: { type: "string", maxLength: 3 },
    [ANY_KEY]: true,
  };
  const target = "draft-2020-12";
  expect(jsonSchema.input({ target })).toMatchObject(description);
  expect(jsonSchema.output({ target })).toMatchObject(description);
});
