import { expect, test } from "vitest";
import { renderSchema } from "../src/schema-outline.ts";
import type { Json } from "../src/schema-outline.ts";

const string = { type: "string" };

test.each<[Json, string]>([
  [string, "string"],
  [{}, "unknown"],
  [{ type: ["string", "null"] }, "string | null"],
  [
    { type: "string", maxLength: 9, default: "x" },
    'string (maxLength 9, default "x")',
  ],
  [{ type: "string", enum: ["a", "b"] }, '"a" | "b"'],
  [{ type: "number", enum: [1, 2] }, "number (enum [1,2])"],
  [{ type: "boolean", const: true }, "true"],
  [{ const: null }, "unknown (const null)"],
  [
    { $ref: "#/components/schemas/Note", description: "One." },
    'Note (description "One.")',
  ],
  [
    { anyOf: [string, { type: "null" }], default: null },
    "string | null (default null)",
  ],
  [{ type: "array" }, "array"],
  [{ type: "array", items: string, maxItems: 3 }, "string[] (maxItems 3)"],
  [
    { type: "array", items: { type: "string", minLength: 1 } },
    "(string (minLength 1))[]",
  ],
  [{ type: "integer", minimum: 1 }, "integer (minimum 1)"],
  [
    {
      type: "integer",
      minimum: Number.MIN_SAFE_INTEGER,
      maximum: Number.MAX_SAFE_INTEGER,
    },
    "safe integer",
  ],
  [{ type: "object", properties: {}, additionalProperties: false }, "{}"],
  [
    { type: "object", properties: { a: string }, required: ["a"] },
    "{ a: string, ... }",
  ],
  [
    { type: "object", properties: { a: string }, additionalProperties: string },
    "{ a?: string, ...: string }",
  ],
  [
    { type: "object", propertyNames: string, additionalProperties: string },
    'object (propertyNames {"type":"string"}, additionalProperties {"type":"string"})',
  ],
])("%j is %s", (schema, text) => expect(renderSchema(schema)).toBe(text));

test("a long object has a line for each property, indented by its depth", () => {
  const inner = {
    type: "object",
    properties: Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => [`property${index}`, string]),
    ),
    additionalProperties: false,
  };
  const schema = { type: "object", properties: { inner } };
  const lines = renderSchema(schema).split("\n");
  expect(lines.slice(0, 3)).toEqual([
    "{",
    "  inner?: {",
    "    property0?: string",
  ]);
  expect(lines.slice(-3)).toEqual(["  }", "  ...", "}"]);
});

test("a long pattern is its digest, which is another for another pattern", () => {
  const of = (pattern: string) => renderSchema({ type: "string", pattern });
  expect(of("^a$")).toBe('string (pattern "^a$")');
  const long = of("a".repeat(61));
  expect(long).toMatch(/^string \(pattern of digest [0-9a-f]{12}\)$/);
  expect(of("b".repeat(61))).not.toBe(long);
});
