import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parsePatch } from "../../ui/repository/parsePatch.ts";

describe("the hunks of a patch", () => {
  const line = fc
    .string({ maxLength: 8 })
    .map((text) => text.replaceAll("\n", ""));
  const body = fc
    .array(fc.tuple(fc.constantFrom("+", "-", " "), line), { minLength: 1 })
    .map((lines) => {
      const count = (signs: string) =>
        lines.filter(([sign]) => signs.includes(sign)).length;
      const header = `@@ -1,${count("- ")} +1,${count("+ ")} @@ in`;
      const text = lines.map(([sign, rest]) => `${sign}${rest}\n`).join("");
      return { header, text };
    });

  test("are what git printed, to the byte", () => {
    fc.assert(
      fc.property(fc.array(body, { minLength: 1 }), (hunks) => {
        const head = "diff --git a/f b/f\n--- a/f\n+++ b/f\n";
        const text = hunks.map((one) => `${one.header}\n${one.text}`).join("");
        const [file] = parsePatch(head + text);
        expect(file?.hunks).toEqual(
          hunks.map((one) => ({
            ...{ header: one.header, lines: one.text, isWhole: true },
          })),
        );
        expect(file?.lines.filter(({ sign }) => sign === "@")).toHaveLength(
          hunks.length,
        );
      }),
    );
  });
});
