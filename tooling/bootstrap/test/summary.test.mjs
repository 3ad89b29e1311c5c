import { expect, it } from "vitest";
import { toSummary } from "../summary.mjs";

const reason = "Error: 1\n  at a.ts:1";

it("says what happened and why, the numbers last", () => {
  const summary = toSummary({
    passed: 9,
    skipped: 2,
    left: 7,
    failures: [
      { name: "//#lint" },
      { name: "kernel: doubled", reason, passesAlone: true },
    ],
    unsteady: [{ name: "kernel: shaky", reason }],
  });
  expect(summary.split("\n")).toEqual([
    "Unsteady (failed once, passes alone): kernel: shaky",
    "    Error: 1",
    "      at a.ts:1",
    "Failed: //#lint",
    "Failed (passes alone): kernel: doubled",
    "    Error: 1",
    "      at a.ts:1",
    "1 unsteady, counted as passed: fix them",
    "7 left to `npm run test:all`",
    "2 skipped",
    "9 passed, 2 failed",
    "",
  ]);
});

it("is one line where all passed", () => {
  expect(
    toSummary({ passed: 3, skipped: 0, left: 0, failures: [], unsteady: [] }),
  ).toBe("3 passed, 0 failed\n");
});
