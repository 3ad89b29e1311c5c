import { runs } from "@gantry/build/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { encloseText } from "../../src/contract.ts";
import { splitMessage } from "../../ui/conversation/splitMessage.ts";

const enclose = (text: string) => encloseText("UNTRUSTED DATA", text);
/** Pieces of what encloses, so that texts try to look like it. */
const pieces = fc
  .array(
    fc.oneof(
      fc.constantFrom("----- END UNTRUSTED DATA ", " -----", "\n"),
      fc.constantFrom("----- BEGIN UNTRUSTED DATA ", "0".repeat(32)),
      fc.string({ unit: "binary" }),
    ),
  )
  .map((parts) => parts.join(""));

test("what is enclosed is taken out whole, whatever it is", () => {
  fc.assert(
    fc.property(pieces, pieces, (one, two) => {
      const text = `Look.\n\n${enclose(one)}\n\nAnd there:\n${enclose(two)}\n\nBye.`;
      expect(splitMessage(text)).toEqual({
        ...{ said: "Look.\n\nAnd there:\n\nBye.", data: [one, two] },
      });
    }),
    { numRuns: runs(300) },
  );
});

test.each([
  ["nothing enclosed", "  Look.\n\n\n at this \n"],
  ["no end", `Look.\n${enclose("x").replace(/END/, "")}`],
  ["another end", `Look.\n${enclose("x").slice(0, -1)}`],
  ["a mark in a line", `Look at ${enclose("x")}`],
  ["another name", encloseText("ANSWER", "x")],
])("a message with %s is shown as it is", (_, text) => {
  expect(splitMessage(text)).toEqual({ said: text, data: [] });
});
