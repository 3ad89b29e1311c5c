import { describe, expect, test } from "vitest";
import {
  knownCodes,
  nextStepsFor,
  type Refusal,
} from "../../ui/shipping/nextSteps.ts";
import { askToFixCheck, toMessage } from "../../ui/shipping/prompts.ts";
import {
  sortChecks,
  sumChecks,
  toWebAddress,
} from "../../ui/shipping/pullRequestWords.ts";
import type { Check, GitPrograms } from "../../ui/shipping/wire.ts";

const programs = (items: string[], more: Partial<GitPrograms> = {}) => ({
  ...{ items, required: [], trusted: false, mark: "m1" },
  ...more,
});

describe("what to do about an error", () => {
  const refusal = (fields: Partial<Refusal>): Refusal => ({
    ...{ code: "GIT_HOOK_FAILED", detail: "No.", action: "commit" },
    ...{ output: "1 test failed", branch: "feature" },
    programs: programs(["pre-commit hook"], { trusted: true }),
    ...fields,
  });
  const labels = (fields: Partial<Refusal>) =>
    nextStepsFor(refusal(fields)).map(({ label }) => label);

  test("is offered for each code of the contract", () => {
    for (const code of knownCodes) expect(labels({ code })).not.toEqual([]);
    expect(labels({ code: "SOMETHING_ELSE" })).toEqual([]);
  });

  test("of a hook is to leave it out only where git can do without it", () => {
    const send = "Send to the agent";
    expect(labels({})).toEqual([send, "Commit without hooks"]);
    expect(labels({ action: "push" })).toEqual([send, "Push without hooks"]);
    const needed = programs(["filter lfs"], {
      ...{ required: ["filter lfs"], trusted: true },
    });
    expect(labels({ programs: needed })).toEqual([send]);
    const [first] = nextStepsFor(refusal({}));
    expect(first).toMatchObject({
      prompt: expect.stringContaining("```\n1 test failed\n```"),
    });
  });
});

test("what was discarded and changed since can be put back all the same", () => {
  const [first] = nextStepsFor({
    ...{ code: "FILES_CHANGED_SINCE", detail: "No.", output: "" },
    ...{ action: "undo-discard", branch: undefined, programs: undefined },
  });
  expect(first).toMatchObject({ kind: "overwrite" });
});

describe("texts for and from the agent", () => {
  test.each([
    ["Add prices", "Add prices"],
    ["\n```\nAdd prices\n\nWhy.\n```\n", "Add prices\n\nWhy."],
    ["Here it is:\n\n```text\nAdd prices\n```\nGood?", "Add prices"],
    ["````\nUse ```x```\n````", "Use ```x```"],
    ["```\none\n```\n\n```\ntwo\n```", "```\none\n```\n\n```\ntwo\n```"],
    ["Add\r\n\r\nWhy.", "Add\n\nWhy."],
    ["```\n```", ""],
  ])("of %j the message is %j", (answer, message) => {
    expect(toMessage(answer)).toBe(message);
  });

  test("a log cannot end its fence, and its end is what is sent", () => {
    const prompt = askToFixCheck(
      7,
      "test",
      `${"x".repeat(30_000)}\n\`\`\`\`\nEND`,
    );
    expect(prompt).toContain("`````\n");
    expect(prompt).toMatch(/END\n`{5}$/);
    expect(prompt.length).toBeLessThan(21_000);
  });
});

describe("checks", () => {
  const check = (name: string, state: Check["state"]): Check => ({
    ...{ name, state, url: null, hasLog: true, workflowName: null },
  });
  const checks = [
    check("b", "passed"),
    check("a", "passed"),
    check("lint", "failed"),
    check("e2e", "pending"),
  ];

  test("that failed come first", () => {
    expect(sortChecks(checks).map(({ name }) => name)).toEqual([
      ...["lint", "e2e", "a", "b"],
    ]);
    expect(sumChecks(checks)).toBe("Checks: 1 failed, 1 running, 2 passed");
    expect(sumChecks([])).toBe("No checks");
  });

  test.each([
    ["https://ci.example/1", "https://ci.example/1"],
    ["javascript:alert(1)", undefined],
    ["", undefined],
    [null, undefined],
  ])("at %j lead to %j", (url, expected) => {
    expect(toWebAddress(url)).toBe(expected);
  });
});
