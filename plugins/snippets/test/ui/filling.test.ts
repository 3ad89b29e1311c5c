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
    enum: Object.hasOwn(enums, one.name) ? enums[one.name]! : null,
  }));

/** Names that every object has a member of, and some that Vue looks for. */
const MEMBERS = [
  ...Object.getOwnPropertyNames(Object.prototype),
  "prototype",
  "__v_skip",
  "__v_raw",
];

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
      "{{valueOf}}",
      "{{__proto__}}",
      "{{broken",
    );
    const values = fc
      .tuple(
        ...["a", "b", "c", "cwd", "valueOf", "__proto__"].map((name) =>
          fc.tuple(fc.constant(name), fc.string()),
        ),
      )
      .map((entries) => new Map(entries));
    fc.assert(
      fc.property(fc.array(piece), values, (pieces, given) => {
        const body = pieces.join("");
        const shown = toSegments(body, given).map(({ text }) => text);
        expect(shown.join("")).toBe(expandBody(body, given).text);
      }),
    );
  });

  test("tells what is missing from what was filled", () => {
    expect(toSegments("a {{b}}{{c=d}}", new Map())).toEqual([
      { kind: "text", text: "a " },
      { kind: "missing", text: "{{b}}", name: "b" },
      { kind: "filled", text: "d", name: "c" },
    ]);
    // A name can be that of a member of every object.
    for (const name of MEMBERS)
      expect(toSegments(`{{${name}}}`, new Map()), name).toMatchObject([
        { kind: "missing" },
      ]);
  });

  test("has a sample for each blank", () => {
    const placeholders = withEnums("{{a_b}} {{c=d}} {{e}} {{date}}", {
      e: ["one", "two"],
    });
    const samples = toSamples(placeholders, "2026-01-02");
    expect([...samples]).toEqual(
      expect.arrayContaining([
        ["a_b", "a b"],
        ["c", "d"],
        ["e", "one"],
        ["date", "2026-01-02"],
      ]),
    );
    const members = withEnums(MEMBERS.map((name) => `{{${name}=x}}`).join(""));
    const shown = toSegments(
      MEMBERS.map((name) => `{{${name}}}`).join(""),
      toSamples(members, "2026-01-02"),
    );
    expect(shown).toEqual(
      MEMBERS.map((name) => ({ kind: "filled", text: "x", name })),
    );
    expect(toDay(new Date(2026, 0, 2))).toBe("2026-01-02");
  });
});

describe("values", () => {
  const placeholders = withEnums("{{a}} {{b=x}} {{c=}} {{d}} {{cwd}}", {
    d: ["one", "two"],
  });
  const check = (values: Record<string, string>, toTerminal = false) =>
    checkValues(placeholders, new Map(Object.entries(values)), toTerminal);

  test("are asked for where there is no default and no way to skip", () => {
    expect([...check({}).keys()]).toEqual(["a", "d"]);
    expect(check({ a: "1", d: "two" }).size).toBe(0);
  });

  test("are refused outside the list, and with control characters for a terminal", () => {
    expect(check({ a: "1", d: "three" }).get("d")).toContain("one, two");
    const escape = { a: "\u001b[A", d: "one" };
    expect(check(escape).size).toBe(0);
    expect([...check(escape, true).keys()]).toEqual(["a"]);
    const lines = { a: "one\n\ttwo", d: "one" };
    expect(check(lines, true).size).toBe(0);
  });

  test("that are empty, reserved or of no blank are not sent", () => {
    const values = Object.entries({ a: "1", b: "", cwd: "/", z: "2" });
    expect(givenValues(placeholders, new Map(values))).toEqual({ a: "1" });
  });

  test("are those that were given, whatever their names are", () => {
    const members = withEnums(MEMBERS.map((name) => `{{${name}}}`).join(""));
    expect([...checkValues(members, new Map(), true).keys()]).toEqual(MEMBERS);
    expect(Object.keys(givenValues(members, new Map()))).toEqual([]);
    const values = new Map(MEMBERS.map((name) => [name, `<${name}>`]));
    expect(checkValues(members, values, true).size).toBe(0);
    const sent = JSON.stringify(givenValues(members, values));
    expect(Object.entries(JSON.parse(sent) as object)).toEqual([...values]);
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
