import { expect, it, vi } from "vitest";
import { rerunFailed } from "../rerun-failed.mjs";

const failed = (test, path = "plugins/inbox/test/a.test.ts", reason = "") => ({
  name: `${path}: ${test}`,
  reason,
  taskId: "@gantry/plugin-inbox#test",
  file: `/home/me/gantry/${path}`,
  path,
  test,
});
const LINT = { name: "//#lint" };

/** A rerun in which these pass, and all others that are asked for fail again. */
const rerunOf = (...passing) =>
  vi.fn(({ file, tests = [] }) => ({
    passed: passing
      .filter((one) => one.file === file && tests.includes(one.test))
      .map(({ test }) => ({ file, test })),
    failures: tests
      .filter((test) => !passing.some((one) => one.test === test))
      .map((test) => ({ name: test, file, test })),
  }));

it("forgives a test that passes alone, and nothing else of its file", () => {
  const shaky = failed("shaky");
  const broken = failed("broken");
  const rerun = rerunOf(shaky);
  expect(rerunFailed([LINT, shaky, broken], rerun)).toEqual({
    failures: [LINT, broken],
    unsteady: [shaky],
  });
  const { taskId, file } = shaky;
  expect(rerun.mock.calls).toEqual([
    [{ taskId, file, tests: ["shaky", "broken"] }],
    [{ taskId, file, tests: ["broken"] }],
  ]);
});

it("gives a test a second chance, and each file a run of its own", () => {
  const first = failed("first");
  const second = failed("second", "plugins/inbox/test/b.test.ts");
  const results = [
    { passed: [], failures: [first] },
    { passed: [second], failures: [] },
    { passed: [first], failures: [] },
  ];
  const rerun = vi.fn(() => results.shift());
  expect(rerunFailed([first, second], rerun)).toEqual({
    failures: [],
    unsteady: [first, second],
  });
  expect(rerun.mock.calls.map(([{ tests }]) => tests)).toEqual([
    ["first"],
    ["second"],
    ["first"],
  ]);
});

it("does not take a test that did not run for one that passed", () => {
  const gone = failed("gone");
  expect(
    rerunFailed([gone], () => ({ passed: [], failures: [] })).failures,
  ).toEqual([gone]);
});

it("trusts no rerun in which something failed outside of the tests", () => {
  const shaky = failed("shaky");
  const outside = { name: "exit code 1, no failed test" };
  expect(
    rerunFailed([shaky], () => ({ passed: [shaky], failures: [outside] })),
  ).toEqual({ failures: [shaky], unsteady: [] });
});

it("runs the whole file where it did not load or failed outside of its tests", () => {
  const outside = { ...failed(undefined), reason: "Error: too late" };
  const { taskId, file } = outside;
  const clean = vi.fn(() => ({ passed: [failed("one")], failures: [] }));
  expect(rerunFailed([outside], clean).unsteady).toEqual([outside]);
  expect(clean.mock.calls).toEqual([[{ taskId, file, tests: undefined }]]);
  for (const again of [
    { passed: [failed("one")], failures: [failed("two")] },
    { passed: [failed("one")], failures: [outside] },
    { passed: [], failures: [] },
  ])
    expect(rerunFailed([outside], () => again).failures).toEqual([outside]);
});

it.each([
  "kernel/core/test/auth/sessions.test.ts",
  "plugins/git-kit/test/race.test.ts",
  "plugins/storage-unstorage/test/store-lease.test.ts",
  "kernel/core/test/whole-home/kill.test.ts",
  "e2e/attacks/attacks.test.ts",
  "plugins/agents/test/queue/delivery-kill.test.ts",
])("forgives a time-out in %s, but no assertion", (path) => {
  const wrong = failed("wrong", path, "AssertionError: expected 2 to be 1");
  expect(rerunFailed([wrong], rerunOf(wrong))).toEqual({
    failures: [{ ...wrong, passesAlone: true }],
    unsteady: [],
  });
  for (const reason of [
    "Error: Test timed out in 180000ms.",
    "Error: It did not happen: it is delivered.",
    "TimeoutError: locator.click: Timeout 45000ms exceeded.",
  ]) {
    const late = failed("late", path, reason);
    expect(rerunFailed([late], rerunOf(late)).unsteady).toEqual([late]);
  }
});

it("forgives none where more than three pass alone", () => {
  const many = ["1", "2", "3", "4"].map((test) => failed(test));
  expect(rerunFailed(many, rerunOf(...many))).toEqual({
    failures: many.map((one) => ({ ...one, passesAlone: true })),
    unsteady: [],
  });
  expect(rerunFailed(many.slice(1), rerunOf(...many)).unsteady).toHaveLength(3);
});

it("runs nothing again that is no test, or fails in too many files", () => {
  const never = () => expect.unreachable();
  expect(rerunFailed([LINT], never).failures).toEqual([LINT]);
  const many = Array.from({ length: 7 }, (_, at) => failed("one", `${at}.ts`));
  expect(rerunFailed(many, never)).toEqual({ failures: many, unsteady: [] });
});
