import { expect, it, vi } from "vitest";
import { tryAgain } from "../second-try.mjs";
import { toSummary } from "../summary.mjs";

const failed = (name, file, taskId = "@gantry/kernel#test") => ({
  name,
  reason: `${name} is wrong`,
  taskId,
  file,
});

it("tells what fails twice from what passes alone", () => {
  const shaky = failed("shaky", "a.test.ts");
  const broken = failed("broken", "b.test.ts");
  const other = failed("other", "a.test.ts", "@gantry/shell#test");
  const lint = { name: "//#lint" };
  const runFiles = vi.fn((taskId, files) =>
    files.includes("b.test.ts") ? [broken] : [],
  );
  expect(tryAgain([shaky, broken, other, lint], runFiles)).toEqual({
    failures: [broken, lint],
    unsteady: [shaky, other],
  });
  expect(runFiles.mock.calls).toEqual([
    ["@gantry/kernel#test", ["a.test.ts", "b.test.ts"]],
    ["@gantry/shell#test", ["a.test.ts"]],
  ]);
});

it("keeps a failure whose file fails again in another place, and names that too", () => {
  const first = failed("first", "a.test.ts");
  const second = failed("second", "a.test.ts");
  expect(tryAgain([first], () => [second])).toEqual({
    failures: [first, second],
    unsteady: [],
  });
});

it("takes nothing back when the second run itself goes wrong", () => {
  const first = failed("first", "a.test.ts");
  const wrong = { name: "turbo: did not run" };
  expect(tryAgain([first], () => [wrong])).toEqual({
    failures: [first, wrong],
    unsteady: [],
  });
});

it("does not run again what is no test, or too much to be chance", () => {
  const never = () => expect.unreachable();
  const lint = { name: "//#lint" };
  expect(tryAgain([lint], never).failures).toEqual([lint]);
  const many = Array.from({ length: 7 }, (_, at) => failed("one", `${at}.ts`));
  expect(tryAgain(many, never)).toEqual({ failures: many, unsteady: [] });
});

it("says at the end what happened and why, the numbers last", () => {
  const summary = toSummary({
    passed: 9,
    skipped: 2,
    failures: [{ name: "//#lint" }],
    unsteady: [{ name: "kernel: shaky", reason: "Error: 1\n  at a.ts:1" }],
  });
  expect(summary.split("\n")).toEqual([
    "Unsteady (failed, and passed when its file ran again): kernel: shaky",
    "    Error: 1",
    "      at a.ts:1",
    "Failed: //#lint",
    "2 skipped",
    "9 passed, 1 failed",
    "",
  ]);
});
