import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cpuCostOf } from "@gantry/build/testing";
import { countChanges, diffLines, readPatch } from "@gantry/agent-kit/tools";
import type { ToolCall } from "../../ui/conversation/rows.ts";
import { describeTool } from "../../ui/tools/describeTool.ts";
import {
  clampLines,
  countLines,
  lastLines,
  toPlainOutput,
} from "../../ui/tools/plainOutput.ts";

function call(name: string, input: unknown, more: Partial<ToolCall> = {}) {
  return describeTool({
    name,
    title: `${name} title`,
    input: typeof input === "string" ? input : JSON.stringify(input),
    output: "",
    truncated: false,
    state: "done",
    ...more,
  });
}

describe("the display of a tool call", () => {
  test("a shell tool shows its command, whatever its name in the CLI", () => {
    for (const name of ["bash", "Bash", "shell", "exec_command", "execute"]) {
      expect(call(name, { command: "ls -la", timeout: 5 })).toMatchObject({
        kind: "shell",
        verb: "Ran",
        subject: "ls -la",
        command: "ls -la",
        fields: [{ name: "timeout", value: "5" }],
      });
    }
    expect(call("shell", { command: ["git", "log"] }).command).toBe("git log");
    expect(call("bash", { command: "a" }, { state: "running" }).verb).toBe(
      "Running",
    );
  });

  test("an edit shows what changed", () => {
    const view = call("Edit", {
      file_path: "/a/b.ts",
      old_string: "one\ntwo",
      new_string: "one\n2",
    });
    expect(view).toMatchObject({
      kind: "edit",
      subject: "/a/b.ts",
      fields: [],
    });
    expect(view.diffs).toEqual([
      {
        path: "/a/b.ts",
        lines: [
          { sign: " ", text: "one" },
          { sign: "-", text: "two" },
          { sign: "+", text: "2" },
        ],
      },
    ]);
  });

  test("several edits and a patch are shown", () => {
    const many = call("edit", {
      path: "a",
      edits: [
        { oldText: "x", newText: "y" },
        { oldText: "", newText: "z" },
        "nonsense",
      ],
    });
    expect(many.diffs).toHaveLength(2);
    const patch = call("apply_patch", {
      input:
        "*** Begin Patch\n*** Update File: a.ts\n@@\n-x\n+y\n*** End Patch",
    });
    expect(patch.diffs[0]?.lines).toEqual([
      { sign: "@", text: "Update File: a.ts" },
      { sign: "@", text: "@@" },
      { sign: "-", text: "x" },
      { sign: "+", text: "y" },
    ]);
  });

  test("input that is not an object is shown unchanged", () => {
    for (const input of ['{"cut": "in the mid', "plain words", "[1]"]) {
      expect(call("thing", input).fields).toEqual([
        { name: "input", value: input },
      ]);
    }
    expect(call("thing", "null").fields).toEqual([]);
    expect(call("thing", "").subject).toBe("thing title");
  });

  test("any input is accepted", () => {
    fc.assert(
      fc.property(fc.string(), fc.jsonValue(), (name, input) => {
        const view = call(name, JSON.stringify(input));
        expect(view.subject).not.toContain("\n");
      }),
    );
  });
});

describe("differences", () => {
  const line = fc.constantFrom("a", "b", "c", "");
  const text = fc
    .array(line, { minLength: 1, maxLength: 12 })
    .map((lines) => `${lines.join("\n")}\n`);

  test("kept and removed lines are the old text, kept and added lines the new one", () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = diffLines(before, after);
        const side = (sign: string) =>
          lines
            .filter((part) => part.sign === sign || part.sign === " ")
            .map((part) => `${part.text}\n`)
            .join("");
        expect(side("-")).toBe(before);
        expect(side("+")).toBe(after);
      }),
    );
  });

  test("the shortest diff is found for small changes", () => {
    const lines = diffLines("a\nb\nc\nd\n", "a\nc\nx\nd\n");
    expect(countChanges(lines)).toEqual({ added: 1, removed: 1 });
  });

  test("texts that differ in very many lines are compared fast", async () => {
    const many = (mark: string) =>
      Array.from({ length: 5_000 }, (_, index) => `${mark}${index}`).join("\n");
    const [before, after] = [many("a"), many("b")];
    let lines: ReturnType<typeof diffLines> = [];
    expect(
      await cpuCostOf(() => void (lines = diffLines(before, after))),
    ).toBeLessThan(500);
    expect(countChanges(lines)).toEqual({ added: 5_000, removed: 5_000 });
  });

  test("a unified patch is parsed without its header", () => {
    expect(
      readPatch(
        "diff --git a/x b/x\nindex 1..2\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n same",
      ),
    ).toEqual([
      { sign: "@", text: "x" },
      { sign: "@", text: "@@ -1 +1 @@" },
      { sign: "-", text: "old" },
      { sign: "+", text: "new" },
      { sign: " ", text: "same" },
    ]);
  });
});

describe("output of programs", () => {
  test("colors, titles and overwritten lines are removed", () => {
    expect(toPlainOutput("\u001b[31mred\u001b[0m\u0007")).toBe("red");
    expect(toPlainOutput("\u001b]0;title\u0007text")).toBe("text");
    expect(toPlainOutput("10 %\r50 %\rdone\nnext\r\nlast")).toBe(
      "done\nnext\nlast",
    );
  });

  test("a long text shows its beginning and the number of hidden lines", () => {
    const text = Array.from({ length: 100 }, (_, index) => index).join("\n");
    const { shown, hidden } = clampLines(text, 20);
    expect(countLines(shown)).toBe(20);
    expect(hidden).toBe(80);
  });

  test("a slightly longer text is shown whole", () => {
    const text = Array.from({ length: 24 }, (_, index) => index).join("\n");
    expect(clampLines(text, 20)).toEqual({ shown: text, hidden: 0 });
  });

  test("a very long line is cut too", () => {
    const { shown, hidden } = clampLines("x".repeat(100_000), 20);
    expect(shown.length).toBe(4_000);
    expect(hidden).toBe(1);
  });

  test("a growing text shows its end", () => {
    expect(lastLines("a\nb\nc\n", 2)).toBe("b\nc");
  });
});
