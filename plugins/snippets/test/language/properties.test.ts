import fc from "fast-check";
import { runs } from "@gantry/build/testing";
import { expect, test } from "vitest";
import {
  editPlaceholder,
  escapeProblems,
  escapeText,
} from "../../src/language/edit-placeholder.ts";
import { expandBody } from "../../src/language/expand-body.ts";
import { checkDefault } from "../../src/language/grammar.ts";
import { listPlaceholders } from "../../src/language/list-placeholders.ts";
import { scanBody } from "../../src/language/scan-body.ts";
import { applyConversions } from "../../src/language/suggest-conversions.ts";

/** Texts that are full of what the language is made of. */
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom("{", "}", "{{", "}}", "{{{{", "=", "\n", " ", "a", "é"),
      fc.constantFrom("{{a}}", "{{a=x}}", "{{b=}}", "{{cwd}}", "\u0000", "🙂"),
      fc.string({ unit: "binary", maxLength: 4 }),
    ),
    { maxLength: 20 },
  )
  .map((pieces) => pieces.join(""));

const name = fc.constantFrom(
  "a",
  "b",
  "c",
  "d_1",
  "toString",
  "hasOwnProperty",
);
const standard = text.filter((value) => checkDefault(value) === undefined);
const use = fc.oneof(
  name.map((word) => `{{${word}}}`),
  name.map((word) => `{{${word}=}}`),
  fc.tuple(name, standard).map(([word, value]) => `{{${word}=${value}}}`),
  fc.constantFrom("{{cwd}}", "{{date}}"),
);
/** Bodies without a problem. */
const body = fc
  .array(fc.oneof(text.map(escapeText), use), { maxLength: 12 })
  .map((pieces) => pieces.join(""))
  .filter((candidate) => scanBody(candidate).problems.length === 0);

const often = { numRuns: runs(500) };

test("the parts of any text cover it, in order and without a gap", () => {
  fc.assert(
    fc.property(text, (any) => {
      let end = 0;
      for (const { from, to } of scanBody(any).parts) {
        expect(from).toBe(end);
        expect(to).toBeGreaterThan(from);
        end = to;
      }
      expect(end).toBe(any.length);
    }),
    often,
  );
});

test("a problem stands at the line and column that it tells", () => {
  fc.assert(
    fc.property(text, (any) => {
      for (const { from, line, column } of scanBody(any).problems) {
        const before = any.slice(0, from).split("\n");
        expect([line, column]).toEqual([
          before.length,
          (before.at(-1) ?? "").length + 1,
        ]);
      }
    }),
    often,
  );
});

test("a text without {{ is unchanged", () => {
  fc.assert(
    fc.property(
      text
        .map((any) => any.replaceAll("{{", "{ {"))
        .filter((any) => !any.includes("{{")),
      (plain) => {
        expect(expandBody(plain, { a: "b" })).toEqual({
          text: plain,
          missing: [],
        });
      },
    ),
    often,
  );
});

test("an escaped text comes back, alone and beside placeholders", () => {
  fc.assert(
    fc.property(text, text, text, (before, value, after) => {
      expect(scanBody(escapeText(before)).problems).toEqual([]);
      expect(expandBody(escapeText(before), {}).text).toBe(before);
      const around = `${escapeText(before)} {{v=}}${escapeText(after)}`;
      expect(expandBody(around, { v: value }).text).toBe(
        `${before} ${value}${after}`,
      );
    }),
    often,
  );
});

test("an escaped problem stands for itself, and placeholders stay what they are", () => {
  fc.assert(
    fc.property(text, (any) => {
      const escaped = escapeProblems(any);
      const { parts, problems } = scanBody(escaped);
      expect(problems).toEqual([]);
      const before = scanBody(any).parts;
      const toShown = (all: typeof parts) =>
        all.map((part) => (part.kind === "text" ? part.text : part.name));
      expect(toShown(parts)).toEqual(toShown(before));
      expect(escapeProblems(escaped)).toBe(escaped);
    }),
    often,
  );
});

test("a raw text with conversions keeps all its braces", () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 4 }), (pieces) => {
      const raw = pieces.join("[YOUR NAME]");
      const whole = applyConversions(raw, suggestAll(raw), escapeText);
      expect(scanBody(whole).problems).toEqual([]);
      expect(expandBody(whole, { your_name: "[YOUR NAME]" }).text).toBe(raw);
    }),
    often,
  );
});

/** Every place of the blank, also where it would not be suggested. */
const suggestAll = (raw: string) =>
  [...raw.matchAll(/\[YOUR NAME\]/g)].map(({ 0: found, index: from }) => ({
    ...{ from, to: from + found.length, text: found, name: "your_name" },
  }));

test("a value is never looked at again, whatever it holds", () => {
  fc.assert(
    fc.property(
      body,
      fc.array(text, { minLength: 8, maxLength: 8 }),
      (any, values) => {
        const filled = new Map(
          listPlaceholders(any).map(({ name: word }, index) => [
            word,
            `${values[index % 8]}!`,
          ]),
        );
        const expected = scanBody(any)
          .parts.map((part) =>
            part.kind === "text" ? part.text : filled.get(part.name),
          )
          .join("");
        expect(expandBody(any, filled)).toEqual({
          text: expected,
          missing: [],
        });
        expect(expandBody(any, Object.fromEntries(filled)).text).toBe(expected);
      },
    ),
    often,
  );
});

test("what is missing is what has neither a value nor a default, and is not optional", () => {
  fc.assert(
    fc.property(body, (any) => {
      expect(expandBody(any, { a: "1", b: "" }).missing).toEqual(
        listPlaceholders(any)
          .filter(
            (row) => row.name !== "a" && row.default === null && !row.optional,
          )
          .map((row) => row.name),
      );
    }),
    often,
  );
});

test("an edit of the table, written into the body, is the table that is read from it", () => {
  fc.assert(
    fc.property(
      body,
      fc.nat(),
      fc.option(standard.filter((value) => value !== "")),
      fc.boolean(),
      (any, index, value, optional) => {
        const table = listPlaceholders(any);
        const open = table.filter(({ reserved }) => !reserved);
        const row = open[index % (open.length || 1)];
        fc.pre(row !== undefined);
        const edit = { default: value, optional: optional && value === null };
        const edited = editPlaceholder(any, row?.name ?? "", edit);
        expect(scanBody(edited).problems).toEqual([]);
        expect(listPlaceholders(edited)).toEqual(
          table.map((other) => (other === row ? { ...other, ...edit } : other)),
        );
        // Nothing but the placeholder is touched.
        const texts = (whole: string) =>
          scanBody(whole)
            .parts.filter(({ kind }) => kind === "text")
            .map((part) => (part as { text: string }).text);
        expect(texts(edited)).toEqual(texts(any));
      },
    ),
    often,
  );
});
