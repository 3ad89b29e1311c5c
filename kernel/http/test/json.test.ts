import fc from "fast-check";
import { runs } from "@gantry/build/testing";
import { expect, test } from "vitest";
import { isGantryError } from "@gantry/plugin";
import { parseJsonObject } from "@gantry/http/json";
import { wellFormedText } from "../../system/test/support/texts.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const parse = (text: string) => parseJsonObject(encode(text));
const refusal = (text: string): string => {
  try {
    parse(text);
    return "parsed";
  } catch (error) {
    return isGantryError(error) ? error.code : String(error);
  }
};

const FORBIDDEN = ["__proto__", "constructor", "prototype"];
const key = fc
  .string({ maxLength: 12 })
  .filter((name) => !FORBIDDEN.includes(name));
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6 },
    fc.oneof(
      wellFormedText(10),
      fc.constant(null),
      fc.boolean(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
    ),
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(key, tie("value"), { maxKeys: 5, noNullPrototype: true }),
  ),
}));

test("every harmless object arrives as it was sent, however it is spaced", () => {
  const object = fc.dictionary(key, value, { noNullPrototype: true });
  fc.assert(
    fc.property(object, fc.constantFrom(0, 2, "\t"), (sent, space) => {
      const text = JSON.stringify(sent, null, space);
      expect(parse(text)).toEqual(JSON.parse(text));
    }),
  );
});

test("whatever bytes are sent, they are an object or refused in words of ours", () => {
  const almostJson = fc
    .array(
      fc.constantFrom(
        "{",
        "}",
        "[",
        "]",
        '"',
        ":",
        ",",
        "\\",
        "\\u",
        "a",
        "1",
        "null",
        " ",
        "__proto__",
      ),
    )
    .map((parts) => encode(`{${parts.join("")}}`));
  fc.assert(
    fc.property(
      fc.oneof(fc.uint8Array({ maxLength: 60 }), almostJson),
      (bytes) => {
        try {
          const parsed = parseJsonObject(bytes);
          expect(parsed).toEqual(JSON.parse(new TextDecoder().decode(bytes)));
          expect(Array.isArray(parsed)).toBe(false);
        } catch (error) {
          if (!isGantryError(error)) throw error;
          expect(error.status).toBe(400);
        }
      },
    ),
    { numRuns: runs(2_000) },
  );
});

test("a name that could reach an object's prototype is refused at any depth, however it is written", () => {
  const spell = (name: string) =>
    fc
      .array(fc.boolean(), { minLength: name.length, maxLength: name.length })
      .map((escaped) =>
        [...name]
          .map((char, n) =>
            escaped[n]
              ? `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`
              : char,
          )
          .join(""),
      );
  const path = fc.array(fc.constantFrom('{"a":', "[", '{"b":1,"c":', "[1,"), {
    maxLength: 20,
  });
  const closing: Record<string, string> = { "{": "}", "[": "]" };
  fc.assert(
    fc.property(
      fc.constantFrom(...FORBIDDEN).chain(spell),
      path,
      (name, steps) => {
        const ends = steps
          .map((step) => closing[step[0] ?? ""])
          .reverse()
          .join("");
        const text = `{"x":${steps.join("")}{"${name}":{}}${ends}}`;
        JSON.parse(text);
        expect(refusal(text)).toBe("BODY_FORBIDDEN_KEY");
      },
    ),
  );
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

test("such a name is harmless as a value, or as part of another", () => {
  const object = {
    text: "__proto__",
    my_constructor: "prototype",
    list: ["constructor"],
    a__proto__: 1,
  };
  expect(parse(JSON.stringify(object))).toEqual(object);
});

test("32 levels are taken and 33 are not, also when they are never closed", () => {
  const nested = (levels: number, open: string, close: string) =>
    `{"a":${open.repeat(levels - 1)}1${close.repeat(levels - 1)}}`;
  for (const [open, close] of [
    ["[", "]"],
    ['{"a":', "}"],
  ] as const) {
    expect(refusal(nested(32, open, close))).toBe("parsed");
    expect(refusal(nested(33, open, close))).toBe("BODY_TOO_COMPLEX");
    expect(refusal(`{"a":${open.repeat(100_000)}`)).toBe("BODY_TOO_COMPLEX");
  }
  expect(refusal(`{"a":${"[],".repeat(40)}1}`)).toBe("BODY_NOT_JSON");
  expect(parse(`{"a":[${"[],".repeat(40)}1]}`)).toBeDefined();
  expect(
    parse(JSON.stringify({ a: "[".repeat(99), '{"{"{\\"': "\\".repeat(9) })),
  ).toBeDefined();
});

test("10,000 keys and 100,000 values are taken, and no more", () => {
  const keys = (count: number) =>
    `{${Array.from({ length: count }, (_, n) => `"k${n}":1`).join()}}`;
  expect(refusal(keys(10_000))).toBe("parsed");
  expect(refusal(keys(10_001))).toBe("BODY_TOO_COMPLEX");
  const values = (count: number, element: string) =>
    `{"a":[${Array.from({ length: count }, () => element).join()}]}`;
  for (const element of ["1", '"\\u0041"', '"prototype"', "[]"]) {
    expect(refusal(values(100_000, element)), element).toBe("parsed");
    expect(refusal(values(100_002, element)), element).toBe("BODY_TOO_COMPLEX");
  }
  expect(refusal(values(1_000_000, "1"))).toBe("BODY_TOO_COMPLEX");
  expect(parse(JSON.stringify({ text: ",:".repeat(200_000) }))).toBeDefined();
});

test.each([
  ["an array", "[]"],
  ["a text", '"{}"'],
  ["a number", "5"],
  ["nothing", "null"],
  ["spaces", "  "],
  ["two objects", "{}{}"],
  ["a comment", "{/* */}"],
  ["a trailing comma", '{"a":1,}'],
  ["single quotes", "{'a':1}"],
  ["no number", '{"a":NaN}'],
  ["a mark of byte order", "\ufeff{}"],
  ["an open text", '{"a":"'],
  ["an open escape", '{"a":"\\'],
  ["a raw line end in a text", '{"a":"\n"}'],
])("%s is no object", (_, text) => {
  expect(refusal(text)).toBe("BODY_NOT_JSON");
});

test.each([
  ["a lone continuation", [0x80]],
  ["an overlong slash", [0xc0, 0xaf]],
  ["half a surrogate pair", [0xed, 0xa0, 0x80]],
  ["a letter cut short", [0xe2, 0x82]],
  ["Latin 1", [0xe9]],
  ["UTF-16", [0xff, 0xfe]],
])("what is not UTF-8 is refused: %s", (_, bytes) => {
  const body = Uint8Array.from([
    ...encode('{"a":"'),
    ...bytes,
    ...encode('"}'),
  ]);
  expect(() => parseJsonObject(body)).toThrow(/not one JSON object/);
});
