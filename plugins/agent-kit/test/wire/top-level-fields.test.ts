import fc from "fast-check";
import { expect, test } from "vitest";
import { TopLevelFields } from "../../src/wire/top-level-fields.ts";

const encoder = new TextEncoder();

function fieldsOf(text: string, cuts: readonly number[] = []) {
  const bytes = encoder.encode(text);
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort(
    (left, right) => left - right,
  );
  const fields = new TopLevelFields();
  let start = 0;
  for (const end of [...places, bytes.length]) {
    fields.push(bytes.subarray(start, end));
    start = end;
  }
  return fields.fields;
}

test("reads the scalar fields of any object, however its bytes are split", () => {
  const spaces = fc.constantFrom(undefined, 1, "\t");
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ maxLength: 20 }), fc.jsonValue(), {
        maxKeys: 10,
      }),
      fc.array(fc.nat()),
      spaces,
      (object, cuts, space) => {
        const text = JSON.stringify(object, null, space);
        const known = JSON.parse(text) as Record<string, unknown>;
        const plain = Object.entries(known).filter(
          ([, value]) => typeof value !== "object" || value === null,
        );
        const fields = fieldsOf(text, cuts);
        for (const [key, value] of plain)
          if (JSON.stringify(value).length < 200)
            expect(fields.get(key)).toEqual(value);
        for (const [key, value] of fields) expect(value).toEqual(known[key]);
      },
    ),
  );
});

test("ignores the content of texts and nested objects", () => {
  const inner = { id: 7, method: "inner", text: '","id":8,"method":"text"}' };
  const text = `{"params":${JSON.stringify(inner)},"method":"outer","id":"a\\"b","long":"${"x".repeat(5000)}"}`;
  expect([...fieldsOf(text)]).toEqual([
    ["method", "outer"],
    ["id", 'a"b'],
  ]);
});

test("accepts any bytes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      const fields = new TopLevelFields();
      fields.push(bytes);
      expect(fields.fields.size).toBeLessThanOrEqual(32);
    }),
  );
  expect(fieldsOf(`${"}".repeat(50)}{"id":1}`).get("id")).toBeUndefined();
});
