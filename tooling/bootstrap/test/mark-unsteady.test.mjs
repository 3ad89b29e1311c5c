import { expect, it, vi } from "vitest";
import { markUnsteady } from "../mark-unsteady.mjs";
import { toSummary } from "../summary.mjs";

const failed = (name, file, taskId = "@gantry/kernel#test") => ({
  name,
  reason: `${name} is wrong`,
  taskId,
  file,
});

it("marks what passes alone, and takes no failure away", () => {
  const shaky = failed("shaky", "a.test.ts");
  const broken = failed("broken", "b.test.ts");
  const other = failed("other", "a.test.ts", "@gantry/shell#test");
  const lint = { name: "//#lint" };
  const runFiles = vi.fn((taskId, files) =>
    files.includes("b.test.ts") ? [broken] : [],
  );
  expect(markUnsteady([shaky, broken, other, lint], runFiles)).toEqual([
    { ...shaky, isUnsteady: true },
    broken,
    { ...other, isUnsteady: true },
    lint,
  ]);
  expect(runFiles.mock.calls).toEqual([
    ["@gantry/kernel#test", ["a.test.ts", "b.test.ts"]],
    ["@gantry/shell#test", ["a.test.ts"]],
  ]);
});

it("marks nothing when a file fails again in another place, or the second run itself goes wrong", () => {
  const first = failed("first", "a.test.ts");
  for (const again of [
    failed("second", "a.test.ts"),
    { name: "turbo: did not run" },
  ])
    expect(markUnsteady([first], () => [again])).toEqual([first]);
});

it("does not run again what is no test, or too much to be chance", () => {
  const never = () => expect.unreachable();
  const lint = { name: "//#lint" };
  expect(markUnsteady([lint], never)).toEqual([lint]);
  const many = Array.from({ length: 7 }, (_, at) => failed("one", `${at}.ts`));
  expect(markUnsteady(many, never)).toEqual(many);
});

it("says at the end what happened and why, the numbers last", () => {
  const summary = toSummary({
    passed: 9,
    skipped: 2,
    failures: [
      { name: "//#lint" },
      {
        name: "kernel: shaky",
        reason: "Error: 1\n  at a.ts:1",
        isUnsteady: true,
      },
    ],
  });
  expect(summary.split("\n")).toEqual([
    "Failed: //#lint",
    "Failed (unsteady: passes alone): kernel: shaky",
    "    Error: 1",
    "      at a.ts:1",
    "2 skipped",
    "9 passed, 2 failed",
    "",
  ]);
});
