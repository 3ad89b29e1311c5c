import fc from "fast-check";
import { isGantryError } from "@gantry/plugin";
import { dictionaryOf } from "@gantry/plugin/zod";
import { runs } from "@gantry/build/testing";
import { expect, test } from "vitest";
import * as z from "zod";
import { parseJsonObject } from "@gantry/http/json";

const NAMES = ["__proto__", "constructor", "prototype"];
const values = dictionaryOf(z.string());

const parse = (schema: z.ZodType, text: string) => {
  const bytes = new TextEncoder().encode(text);
  return parseJsonObject(bytes, schema);
};
/** Whether a name is taken as the key in the one place that `text` leaves for it. */
const takes = (schema: z.ZodType, text: string) =>
  NAMES.map((name) => {
    try {
      parse(schema, text.replace("$", name));
      return true;
    } catch (error) {
      expect(isGantryError(error) && error.code).toBe("BODY_FORBIDDEN_KEY");
      return false;
    }
  }).every((taken, _, all) => {
    expect(taken).toBe(all[0]);
    return taken;
  });

const node = z.strictObject({
  values,
  get next() {
    return node.optional();
  },
});
const shared = z.strictObject({ values }).meta({ id: "SharedByTwo" });

test.each([
  ["a field", z.strictObject({ values }), '{"values":{"$":"x"}}'],
  ["one of many", z.strictObject({ values }), '{"values":{"a":"b","$":"x"}}'],
  [
    "an optional field",
    z.strictObject({ values: values.prefault({}).optional() }),
    '{"values":{"$":"x"}}',
  ],
  [
    "a field that can be null",
    z.strictObject({ values: values.nullable() }),
    '{"values":{"$":"x"}}',
  ],
  [
    "an element",
    z.strictObject({ list: z.array(z.strictObject({ values })) }),
    '{"list":[{"values":{}},{"values":{"$":"x"}}]}',
  ],
  [
    "a dictionary in another",
    z.strictObject({ values: dictionaryOf(values) }),
    '{"values":{"a":{"$":"x"}}}',
  ],
  [
    "a dictionary under such a name",
    z.strictObject({ values: dictionaryOf(values) }),
    '{"values":{"$":{"a":"x"}}}',
  ],
  [
    "one of two kinds",
    z.discriminatedUnion("kind", [
      z.strictObject({ kind: z.literal("a"), values }),
      z.strictObject({ kind: z.literal("b") }),
    ]),
    '{"kind":"a","values":{"$":"x"}}',
  ],
  [
    "a part that is shared",
    z.strictObject({ one: shared, other: shared }),
    '{"other":{"values":{"$":"x"}}}',
  ],
  ["a part of its own kind", node, '{"next":{"next":{"values":{"$":"x"}}}}'],
])("any name is a key where keys are data: %s", (_, schema, text) => {
  expect(takes(schema, text)).toBe(true);
});

test.each([
  ["beside the dictionary", z.strictObject({ values }), '{"$":{}}'],
  [
    "in a value of the dictionary",
    z.strictObject({ values }),
    '{"values":{"a":{"$":"x"}}}',
  ],
  [
    "in a list in its place",
    z.strictObject({ values }),
    '{"values":[{"$":"x"}]}',
  ],
  ["in an unknown field", z.strictObject({ values }), '{"b":{"$":"x"}}'],
  [
    "in its namesake elsewhere",
    z.strictObject({ values }),
    '{"b":{"values":{"$":"x"}}}',
  ],
  [
    "in a loose object",
    z.strictObject({ a: z.looseObject({}) }),
    '{"a":{"$":1}}',
  ],
  [
    "in a record",
    z.strictObject({ a: z.record(z.string(), z.string()) }),
    '{"a":{"$":"x"}}',
  ],
  [
    "in what can be anything",
    z.strictObject({ a: z.unknown() }),
    '{"a":{"$":1}}',
  ],
  [
    "where another schema leaves it open",
    z.strictObject({ a: z.union([values, z.looseObject({})]) }),
    '{"a":{"$":"x"}}',
  ],
  [
    "where another schema takes anything",
    z.strictObject({ a: z.union([values, z.any()]) }),
    '{"a":{"$":"x"}}',
  ],
  [
    "under a name that is a method of every object",
    z.strictObject({ values }),
    '{"toString":{"$":"x"}}',
  ],
])("and nowhere else: %s", (_, schema, text) => {
  expect(takes(schema, text)).toBe(false);
});

test("the value under such a name is an own key, and no prototype", () => {
  const schema = z.strictObject({ values });
  const spelt = '{"values":{"\\u005f_proto__":"x","constructor":"y"}}';
  const raw = parse(schema, spelt) as { values: object };
  expect(Object.getPrototypeOf(raw.values)).toBe(Object.prototype);
  const read = schema.parse(raw);
  expect(Object.entries(read.values)).toEqual([
    ["__proto__", "x"],
    ["constructor", "y"],
  ]);
  expect(({} as { x?: unknown }).x).toBeUndefined();
});

test("whatever a body holds, such a name is refused but directly in the dictionary", () => {
  const key = fc.constantFrom("values", "a", ...NAMES);
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constant("x"),
      fc.array(tie("value"), { maxLength: 3 }),
      fc
        .uniqueArray(fc.tuple(key, tie("value")), {
          selector: ([name]) => name,
          maxLength: 3,
        })
        .map((entries) => Object.fromEntries(entries)),
    ),
  }));
  const schema = z.strictObject({ values });
  const hasName = (part: unknown): boolean =>
    typeof part === "object" &&
    part !== null &&
    Object.entries(part).some(
      ([name, inside]) =>
        (!Array.isArray(part) && NAMES.includes(name)) || hasName(inside),
    );
  fc.assert(
    fc.property(fc.dictionary(key, value), (body) => {
      const { values: given, ...rest } = body;
      const isRefused =
        hasName(rest) ||
        (Array.isArray(given)
          ? hasName(given)
          : Object.values((given ?? {}) as object).some(hasName));
      const text = JSON.stringify(body);
      if (isRefused) expect(() => parse(schema, text)).toThrow(/__proto__/);
      else expect(parse(schema, text)).toEqual(JSON.parse(text));
    }),
    { numRuns: runs(1_000) },
  );
});
