import * as fc from "fast-check";
import { runs } from "@gantry/build/testing";
import { expect, test } from "vitest";
import { cell, eachCell } from "../src/view/cell.ts";

const kinds = fc.constantFrom(
  "text",
  "tone",
  "time",
  "bytes",
  "percent",
  "milliseconds",
  "path",
  "page",
  "url",
  "more",
);
const value = fc.oneof(
  fc.string(),
  fc.double(),
  fc.boolean(),
  fc.constantFrom(
    null,
    "success",
    "2026-01-01T00:00:00Z",
    "https://example.org/",
    "/agents",
    "//x",
    "/\t/x",
    "/\n\\x",
  ),
);

test("a cell is checked as the union of all kinds would, in one step", () => {
  fc.assert(
    fc.property(
      fc.oneof(value, fc.anything(), fc.dictionary(kinds, value)),
      (input) => {
        const plain = JSON.parse(JSON.stringify(input) ?? "null") as unknown;
        const one = cell.safeParse(plain);
        const each = eachCell.safeParse(plain);
        expect(one.success).toBe(each.success);
        if (one.success) expect(one.data).toEqual(each.data);
      },
    ),
    { numRuns: runs(2000) },
  );
});

test("a cell leads to a page of Gantry, whatever a browser makes of its address", () => {
  const isPage = (page: string) => cell.safeParse({ text: "x", page }).success;
  for (const page of ["/agents", "/agents/agt_a?b=c#d", "/späť"])
    expect(isPage(page), page).toBe(true);
  for (const page of ["/\t/evil", "/\n/evil", "/\r\\evil", "/\\evil", "//evil"])
    expect(isPage(page), JSON.stringify(page)).toBe(false);
});
