import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkFields } from "../../ui/form/checkFields.ts";
import { toArguments, valueOf } from "../../ui/form/formValues.ts";
import type { Field } from "../../ui/wire.ts";

const number = (more: object = {}): Field => ({
  type: "number",
  name: "count",
  label: "Count",
  isRequired: false,
  value: null,
  ...more,
});
const text = (type: "text" | "folder", more: object = {}): Field => ({
  type,
  name: "text",
  label: "Text",
  isRequired: false,
  isLong: false,
  value: "",
  ...more,
});
const problemOf = (field: Field, value: string) =>
  checkFields([field], new Map([[field.name, value]])).get(field.name);

describe("checks", () => {
  test.each<[string, Field, string, string | undefined]>([
    ["nothing asked for", text("text"), "", undefined],
    ["spaces only", text("text", { isRequired: true }), "  ", "Enter a value."],
    ["no number", number(), "1e", "Enter a number."],
    ["endless", number(), "Infinity", "Enter a number."],
    ["no number asked for", number(), " ", undefined],
    ["too small", number({ min: 1 }), "0", "Enter at least 1."],
    ["too large", number({ max: 1000 }), "1001", "Enter at most 1,000."],
    [
      "out of both",
      number({ min: 1, max: 9 }),
      "10",
      "Enter a number from 1 to 9.",
    ],
    ["a half", number({ step: 1 }), "1.5", "Enter a whole number."],
    ["a tenth of ten", number({ step: 0.1 }), "0.3", undefined],
    [
      "between steps",
      number({ min: 5, step: 10 }),
      "16",
      "Enter a multiple of 10, from 5 on.",
    ],
    ["a relative path", text("folder"), "work/shop", "Enter a full path."],
    ["a path", text("folder"), "/work/shop", undefined],
    ["a path that ends in a blank", text("folder"), "/work/shop ", undefined],
    ["a blank before a path", text("folder"), " /work", "Enter a full path."],
    ["a path from home", text("folder"), "~/shop", undefined],
    ["a path of Windows", text("folder"), "C:\\shop", undefined],
  ])("%s", (_name, field, value, problem) => {
    expect(problemOf(field, value)).toBe(problem);
  });

  test("any multiple of a step is one", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(0.01, 0.1, 0.25, 1, 3, 1000),
        fc.integer({ min: -1000, max: 1000 }),
        (step, count) => {
          expect(problemOf(number({ step }), String(step * count))).toBe(
            undefined,
          );
        },
      ),
    );
  });

  test("a secret may be of spaces, but not nothing if it is required", () => {
    const secret: Field = {
      type: "secret",
      name: "token",
      label: "Token",
      isRequired: true,
      isLong: false,
      value: "",
    };
    expect(problemOf(secret, " ")).toBeUndefined();
    expect(problemOf(secret, "")).toBe("Enter a value.");
  });
});

test("what was typed goes before what the app gave, and each value keeps its kind", () => {
  const fields: Field[] = [
    number({ value: 5 }),
    text("text", { value: "old" }),
    { type: "switch", name: "on", label: "On", value: false },
  ];
  expect(valueOf(fields[0]!, new Map())).toBe("5");
  expect(toArguments(fields, new Map())).toEqual({
    count: 5,
    text: "old",
    on: false,
  });
  const changes = new Map<string, string | boolean>([
    ["count", ""],
    ["text", "new"],
    ["on", true],
    ["gone", "x"],
  ]);
  expect(toArguments(fields, changes)).toEqual({
    count: null,
    text: "new",
    on: true,
  });
});
