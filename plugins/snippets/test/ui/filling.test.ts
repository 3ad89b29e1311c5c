import { describe, expect, test } from "vitest";
import fc from "fast-check";
import { expandBody } from "../../src/language/expand-body.ts";
import { listPlaceholders } from "../../src/language/list-placeholders.ts";
import { toVisible } from "../../src/language/to-visible.ts";
import { toDay, toSamples, toSegments } from "../../ui/editor/segments.ts";
import { checkValues, givenValues } from "../../ui/fill/checkValues.ts";
import { splitVisible } from "../../ui/terminal/splitVisible.ts";

const withEnums = (body: string, enums: Record<string, string[]> = {}) =>
  listPlaceholders(body).map((one) => ({
    ...one,
    enum: enums[one.name] ?? null,
  }));

describe("what is shown of a filled text", () => {
  test("is just what an expansion gives", () => {
    const piece = fc.constantFrom(
      "{{a}}",
      "{{b=x}}",
      "{{c=}}",
      "{{{{",
      " ",
      "}",
      "{{cwd}}",
      "{{broken",
    );
    const values = fc.record({
      a: fc.string(),
      b: fc.string(),
      c: fc.string(),
      cwd: fc.string(),
    });
    fc.assert(
      fc.property(fc.array(piece), values, (pieces, given) => {
        const body = pieces.join("");
        const shown = toSegments(body, given).map(({ text }) => text);
        expect(shown.join("")).toBe(expandBody(body, given).text);
      }),
    );
  });

  test("tells what is missing from what was filled", () => {
    expect(toSegments("a {{b}}{{c=d}}", {})).toEqual([
      { kind: "text", text: "a " },
      { kind: "missing", text: "{{b}}", name: "b" },
      { kind: "filled", text: "d", name: "c" },
    ]);
    // A name can be that of a method of every object.
    expect(toSegments("{{valueOf}}", {})).toMatchObject([{ kind: "missing" }]);
  });

  test("has a sample for each blank", () => {
    const placeholders = withEnums("{{a_b}} {{c=d}} {{e}} {{date}}", {
      e: ["one", "two"],
    });
    const samples = toSamples(placeholders, "2026-01-02");
    expect(samples).toMatchObject({
      a_b: "a b",
      c: "d",
      e: "one",
      date: "2026-01-02",
    });
    expect(toDay(new Date(2026, 0, 2))).toBe("2026-01-02");
  });
});

describe("values", () => {
  const placeholders = withEnums("{{a}} {{b=x}} {{c=}} {{d}} {{cwd}}", {
    d: ["one", "two"],
  });

  test("are asked for where there is no default and no way to skip", () => {
    expect(Object.keys(checkValues(placeholders, {}, false))).toEqual([
      "a",
      "d",
    ]);
    expect(checkValues(placeholders, { a: "1", d: "two" }, false)).toEqual({});
  });

  test("are refused outside the list, and with control characters for a terminal", () => {
    expect(
      checkValues(placeholders, { a: "1", d: "three" }, false)["d"],
    ).toContain("one, two");
    const escape = { a: "\u001b[A", d: "one" };
    expect(checkValues(placeholders, escape, false)).toEqual({});
    expect(Object.keys(checkValues(placeholders, escape, true))).toEqual(["a"]);
    const lines = { a: "one\n\ttwo", d: "one" };
    expect(checkValues(placeholders, lines, true)).toEqual({});
  });

  test("that are empty, reserved or of no blank are not sent", () => {
    expect(
      givenValues(placeholders, { a: "1", b: "", cwd: "/", z: "2" }),
    ).toEqual({ a: "1" });
  });
});

test("what was written out stands out, and all of it is there", () => {
  const visible = toVisible("rm\u202e -rf\tx\n\u0007");
  expect(splitVisible(visible)).toEqual([
    { text: "rm", kind: "plain" },
    { text: "⟨U+202E⟩", kind: "hidden" },
    { text: " -rf", kind: "plain" },
    { text: "⇥", kind: "space" },
    { text: "\tx", kind: "plain" },
    { text: "⏎", kind: "space" },
    { text: "\n", kind: "plain" },
    { text: "⟨U+0007⟩", kind: "hidden" },
  ]);
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 40 }), (text) => {
      const pieces = splitVisible(toVisible(text)).map((piece) => piece.text);
      expect(pieces.join("")).toBe(toVisible(text));
    }),
  );
});
