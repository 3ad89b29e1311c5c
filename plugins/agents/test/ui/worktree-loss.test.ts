import { expect, test } from "vitest";
import {
  describeBranchEnd,
  describeLoss,
  type WorktreeCleanup,
} from "../../ui/worktree/worktreeLoss.ts";

const clean = {
  branch: "agent/tax",
  changed: [],
  changes: 0,
  ignored: [],
  commits: 0,
};
const files = (count: number) =>
  Array.from({ length: count }, (_, index) => `${index}.ts`);

test.each<[string, Partial<WorktreeCleanup>, string]>([
  ["nothing", {}, "Nothing is lost: all changes are committed."],
  [
    "what could not be read",
    { changes: null },
    "Changes that are in no commit are lost. Which there are could not be read.",
  ],
  [
    "one file",
    { changes: 1, changed: ["a.ts"] },
    "1 file with changes that are in no commit is lost: a.ts.",
  ],
  [
    "three files",
    { changes: 3, changed: files(3) },
    "3 files with changes that are in no commit are lost: 0.ts, 1.ts, 2.ts.",
  ],
  [
    "many files",
    { changes: 40, changed: files(20) },
    "40 files with changes that are in no commit are lost: 0.ts, 1.ts, 2.ts, 3.ts, 4.ts, 5.ts, 6.ts, 7.ts, and more.",
  ],
  [
    "what git ignores",
    { ignored: [".env", "node_modules/"] },
    "All changes are committed. Files that git ignores are lost: .env, node_modules/.",
  ],
  [
    "a change and what git ignores",
    { changes: 1, changed: ["a.ts"], ignored: files(9) },
    "1 file with changes that are in no commit is lost: a.ts. Files that git ignores are lost: 0.ts, 1.ts, 2.ts, 3.ts, 4.ts, 5.ts, 6.ts, 7.ts, and more.",
  ],
  [
    "a name that hides something",
    { changes: 1, changed: ["a\u202Ets.exe"] },
    "1 file with changes that are in no commit is lost: a⟨U+202E⟩ts.exe.",
  ],
])("the loss of %s", (_, change, words) => {
  expect(describeLoss({ ...clean, ...change })).toBe(words);
});

test.each([
  [0, "The branch agent/tax stays."],
  [1, "The branch agent/tax stays, with 1 commit that is nowhere else."],
  [2, "The branch agent/tax stays, with 2 commits that are nowhere else."],
])("the end of a branch with %i commits", (commits, words) => {
  expect(describeBranchEnd({ ...clean, commits })).toBe(words);
});
