import fc from "fast-check";
import { expect, test } from "vitest";
import { keyPart } from "../src/index.ts";

/** Any text at all: halves of surrogate pairs and control characters too. */
const anyText = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 12 })
  .map((units) => String.fromCharCode(...units));
const wellFormed = fc
  .array(
    fc.oneof(
      fc.integer({ min: 0, max: 0xd7ff }),
      fc.integer({ min: 0xe000, max: 0x10ffff }),
    ),
  )
  .map((points) => String.fromCodePoint(...points));
const awkward = fc
  .array(
    fc.constantFrom("a", ".", "%", ":", "/", "\\", "?", "~", "\ud83e\udd86"),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(""));
const text = fc.oneof(anyText, awkward, wellFormed);

test("whatever users type becomes one part of a key, of letters that storages leave alone", () => {
  fc.assert(
    fc.property(text, (input) => {
      expect(keyPart(input)).toMatch(/^[A-Za-z0-9_%-]*$/);
    }),
  );
});

test("two texts never share a part", () => {
  fc.assert(
    fc.property(text, text, (one, other) => {
      expect(keyPart(one) === keyPart(other)).toBe(one === other);
    }),
  );
  expect(keyPart("\ud800")).not.toBe(keyPart("\ud801"));
  expect(keyPart("\ud800")).not.toBe(keyPart("\ufffd"));
});

test("a well-formed text can be read back", () => {
  fc.assert(
    fc.property(wellFormed, (input) => {
      expect(decodeURIComponent(keyPart(input))).toBe(input);
    }),
  );
});

test.each([
  ["plain-text_1", "plain-text_1"],
  ["..", "%2E%2E"],
  ["a:b/c\\d", "a%3Ab%2Fc%5Cd"],
  ["what?", "what%3F"],
  ["it's (not)!", "it%27s%20%28not%29%21"],
  ["ü", "%C3%BC"],
  ["", ""],
])("%j becomes %j", (input, part) => {
  expect(keyPart(input)).toBe(part);
});
