import { describe, expect, test } from "vitest";
import {
  commitButton,
  leftOutWords,
  pushButton,
  runsWords,
  subjectWarning,
  takesAll,
} from "../../ui/shipping/commitWords.ts";
import { hasWork, sumWork } from "../../ui/shipping/shippingWork.ts";
import type { GitPrograms, PullRequest } from "../../ui/shipping/wire.ts";
import { pushTarget, shippingState } from "./support/shippingState.ts";

const programs = (items: string[], more: Partial<GitPrograms> = {}) => ({
  ...{ items, required: [], trusted: false, mark: "m1" },
  ...more,
});

describe("the button that commits", () => {
  test.each([
    [{ staged: 2, unstaged: 3 }, "Commit 2 staged files", false],
    [{ staged: 1 }, "Commit 1 staged file", false],
    [{ unstaged: 4 }, "Commit all 4 files", true],
    [{ unstaged: 1 }, "Commit 1 file", true],
    [{ unstaged: 1, stagedOutside: ["x"] }, "Commit 1 file", true],
    [{ stagedOutside: ["x", "y"] }, "Commit 2 staged files", false],
    [{ underway: "merge" as const }, "Commit the merge", false],
  ])("with %j says %j", (fields, label, all) => {
    const state = shippingState(fields);
    expect(commitButton(state, "Add")).toEqual({ label, reason: undefined });
    expect(takesAll(state)).toBe(all);
  });

  test.each([
    [{}, "Add", "Nothing has changed."],
    [{ staged: 1 }, " \n", "Write a message first."],
    [{ staged: 1, conflicts: 3 }, "Add", "3 files are in conflict."],
    [{ unstaged: 1, conflicts: 1 }, "", "1 file is in conflict."],
  ])("with %j and the message %j is disabled: %s", (fields, text, reason) => {
    expect(commitButton(shippingState(fields), text).reason).toBe(reason);
  });

  test("says what it leaves out, and what it cannot do without", () => {
    const label = (items: string[], more?: Partial<GitPrograms>) =>
      commitButton(
        shippingState({ staged: 1, programs: programs(items, more) }),
        "Add",
      );
    expect(label(["pre-commit hook", "signing"]).label).toBe(
      "Commit 1 staged file without hooks",
    );
    expect(label(["signing"]).label).toBe(
      "Commit 1 staged file without signing",
    );
    expect(label(["pre-push hook"]).label).toBe("Commit 1 staged file");
    expect(label(["pre-commit hook"], { trusted: true }).label).toBe(
      "Commit 1 staged file",
    );
    const needed = { required: ["filter lfs"] };
    expect(label(["filter lfs"], needed).reason).toContain("filter lfs");
    expect(label(["filter lfs"], { ...needed, trusted: true }).reason).toBe(
      undefined,
    );
  });
});

describe("the button that pushes", () => {
  test.each([
    [{ commits: 2 }, [], "Push 2 commits to origin/feature"],
    [{ commits: 1 }, [], "Push 1 commit to origin/feature"],
    [{ commits: null }, [], "Push to origin/feature"],
    [{ commits: 1, isNew: true }, [], "Push 1 commit to origin/feature"],
    [{ commits: 0, isNew: true }, [], undefined],
    [{ commits: 0 }, [], undefined],
    [{ commits: 1 }, ["pre-commit hook"], "Push 1 commit to origin/feature"],
    [
      { commits: 1 },
      ["pre-push hook"],
      "Push 1 commit to origin/feature without hooks",
    ],
  ])("with %j and %j says %j", (fields, items, label) => {
    expect(pushButton(pushTarget(fields), programs(items))?.label).toBe(label);
  });
});

test.each([
  [
    ["pre-commit hook", "signing"],
    "Hooks and signing are left out: pre-commit hook, signing.",
  ],
  [["pre-commit hook"], "Hooks are left out: pre-commit hook."],
  [["signing"], "Signing is left out."],
  [
    ["filter lfs", "core.sshCommand", "signing"],
    "Filters, settings, signing are left out: filter lfs, core.sshCommand, signing.",
  ],
  [[], undefined],
])("of %j it is said: %j", (items, words) => {
  expect(leftOutWords(programs(items))).toBe(words);
  expect(leftOutWords(programs(items, { trusted: true }))).toBeUndefined();
});

test("what git runs is named", () => {
  expect(runsWords(programs(["pre-commit hook"]))).toBe(
    "Runs the pre-commit hook",
  );
  expect(runsWords(programs(["signing", "core.sshCommand"]))).toBe(
    "Runs the program that signs, what core.sshCommand names",
  );
});

test("a first line of more than 72 characters is counted, as a reader counts them", () => {
  expect(subjectWarning(`${"é".repeat(72)}\nmore`)).toBeUndefined();
  expect(subjectWarning("𝒳".repeat(73))).toContain("73 characters");
});

describe("what is left to do", () => {
  const pr = { number: 4, state: "open", checks: "failed" } as PullRequest;
  const known = { pr: undefined, prStatus: "ok" } as const;

  test.each([
    [shippingState(), false],
    [shippingState({ unstaged: 1 }), true],
    [shippingState({ push: null, pushFault: "There is no remote." }), false],
    [shippingState({ push: pushTarget({ commits: 1 }) }), true],
    [shippingState({ push: pushTarget({ isNew: true }) }), false],
    [shippingState({ push: pushTarget({ isNew: true, commits: 1 }) }), true],
    [shippingState({ push: pushTarget({ behind: 1 }) }), true],
  ])("in case %# is %s", (state, expected) => {
    expect(hasWork({ state, ...known })).toBe(expected);
  });

  test("may be a pull request, or a check of one that failed", () => {
    const state = shippingState();
    expect(hasWork({ state, pr: undefined, prStatus: "none" })).toBe(true);
    const unpushed = shippingState({ push: pushTarget({ isNew: true }) });
    expect(hasWork({ state: unpushed, pr: undefined, prStatus: "none" })).toBe(
      false,
    );
    const main = shippingState({ push: pushTarget({ isDefault: true }) });
    expect(hasWork({ state: main, pr: undefined, prStatus: "none" })).toBe(
      false,
    );
    expect(hasWork({ state, pr, prStatus: "ok" })).toBe(true);
    const merged: PullRequest = { ...pr, state: "merged" };
    expect(hasWork({ state, pr: merged, prStatus: "ok" })).toBe(false);
  });

  test("fits into a line", () => {
    const push = pushTarget({ commits: 2 });
    const state = shippingState({ staged: 1, unstaged: 3, push });
    expect(sumWork({ state, pr, prStatus: "ok" })).toBe(
      "1 staged · 3 not staged · 2 to push · PR #4 · checks failed",
    );
    expect(sumWork({ state: shippingState(), ...known })).toBe(
      "nothing to commit or push",
    );
  });
});
