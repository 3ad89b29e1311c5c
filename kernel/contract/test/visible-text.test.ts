import fc from "fast-check";
import { expect, test } from "vitest";
import { toVisibleText } from "../src/index.ts";

/** The class as Unicode defines it, said without the code under test. */
const isHidden = (character: string) =>
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/u.test(
    character,
  ) && !"\n\t".includes(character);

test.each([
  ["zero width non-joiner", "\u200c"],
  ["zero width joiner", "\u200d"],
  ["Arabic letter mark", "\u061c"],
  ["Hangul filler", "\u3164"],
  ["halfwidth Hangul filler", "\uffa0"],
  ["combining grapheme joiner", "\u034f"],
  ["tag letter", "\u{e0041}"],
  ["variation selector", "\ufe0f"],
  ["supplementary variation selector", "\u{e0100}"],
  ["right-to-left override", "\u202e"],
  ["soft hyphen", "\u00ad"],
  ["escape", "\u001b"],
  ["line separator", "\u2028"],
  ["half of a surrogate pair", "\ud800"],
  ["no-break space", "\u00a0"],
  ["blank Braille pattern", "\u2800"],
])("a %s is written out", (_name, character) => {
  const code = character.codePointAt(0)!.toString(16).toUpperCase();
  const written = `⟨U+${code.padStart(4, "0")}⟩`;
  expect(toVisibleText(`rm${character} x`)).toBe(`rm${written} x`);
});

test("every code point of the class is written out, and no other", () => {
  // In one call: one for each code point would take seconds.
  const all = codePoints();
  const unchanged = new Set(toVisibleText(all.join("\n")).split("\n"));
  const wrong = all.filter(
    (character) =>
      character !== "\n" && isHidden(character) === unchanged.has(character),
  );
  // Odd spaces, private use, surrogates and the blank pattern are written out as well.
  expect(
    wrong.filter((character) => !/[\p{Zs}\p{Co}\p{Cs}\u2800]/u.test(character)),
  ).toEqual([]);
});

test("what people write stays as it is", () => {
  for (const text of [
    "one\n\ttwo  three",
    "é ö 漢字 עברית العربية",
    "👩‍💻 ❤️ ⚠️ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 1️⃣",
    "",
  ])
    expect(toVisibleText(text)).toBe(text);
});

test("an emoji hides nothing that follows or breaks it", () => {
  expect(toVisibleText("👩‍💻\u200d")).toBe("👩‍💻⟨U+200D⟩");
  expect(toVisibleText("👩\u200drm")).toBe("👩⟨U+200D⟩rm");
  expect(toVisibleText("🏴\u{e0067}\u{e007f}")).toBe("🏴⟨U+E0067⟩⟨U+E007F⟩");
});

test(
  "no hidden character is left outside an emoji, and none that can be seen is lost",
  { tags: "thorough" },
  () => {
    const emoji = new RegExp("\\p{RGI_Emoji}", "gv");
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
        const rest = toVisibleText(text).replace(emoji, "");
        expect([...rest].filter(isHidden)).toEqual([]);
      }),
    );
  },
);

/** The planes in which Unicode has assigned anything but private use: 0 to 3 and 14. */
function codePoints(): string[] {
  const plane = (number: number) =>
    Array.from({ length: 0x10000 }, (_, code) =>
      String.fromCodePoint(number * 0x10000 + code),
    );
  return [0, 1, 2, 3, 14].flatMap(plane);
}
