import fc from "fast-check";
import { costRatio } from "@gantry/build/testing";
import { describe, expect, test } from "vitest";
import {
  countChanges,
  diffLines,
  readPatch,
} from "../../src/tools/line-diff.ts";
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

describe("a tool call in words", () => {
  test("a shell shows its command, whatever the CLI calls it", () => {
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

  test("a tool of a browser says what it did, whatever the CLI calls it", () => {
    const open = { to: "http://localhost:5173/" };
    for (const [name, title] of [
      ["mcp__gantry__browser_navigate", "mcp__gantry__browser_navigate"],
      ["gantry.browser_navigate", "gantry.browser_navigate"],
      ["browser_navigate", "browser_navigate"],
      ["other", "gantry_browser_navigate"],
      ["other", "browser_navigate (gantry MCP Server)"],
    ] as const)
      expect(call(name, open, { title })).toMatchObject({
        ...{ kind: "browser", verb: "Opened", subject: open.to },
        fields: [{ name: "to", value: open.to }],
      });
    const words = (tool: string, input: object, more?: Partial<ToolCall>) => {
      const { verb, subject } = call(`browser_${tool}`, input, more);
      return `${verb} ${subject}`.trim();
    };
    const running = { state: "running" } as const;
    const element = 'button "Buy"';
    expect([
      words("navigate", open, running),
      words("navigate", { to: "back" }),
      words("navigate", { to: "tab 2" }),
      words("navigate", { to: "constructor" }),
      words("click", { ref: "e2" }),
      words("click", { ref: "e2" }, { element }),
      words("type", { ref: "e2", text: "secret" }, { element }),
      words("snapshot", {}),
      words("snapshot", {}, running),
      words("dialog", { accept: false }),
      words("upload", { ref: "e2", files: ["a.txt", "b.txt"] }),
      words("scroll", { down: 100 }),
      words("screenshot", {}),
      words("wait", { text: "Paid" }),
      words("evaluate", { expression: "1 + 1" }),
    ]).toEqual([
      "Opening http://localhost:5173/",
      "Went back",
      "Showed tab 2",
      "Opened constructor",
      "Clicked e2",
      'Clicked button "Buy"',
      'Typed into button "Buy"',
      "Read the page",
      "Reading the page",
      "Dismissed the dialog",
      "Uploaded a.txt, b.txt",
      "Scrolled the page",
      "Took a picture of the page",
      "Waited for Paid",
      "Ran a script 1 + 1",
    ]);
  });

  test("what has a command, or is no tool of a browser, does not pass for one", () => {
    const title = "gantry_browser_click";
    expect(call("other", { command: "rm -r ." }, { title })).toMatchObject({
      ...{ kind: "shell", verb: "Ran", subject: "rm -r ." },
    });
    expect(call("execute", { ref: "e1" }, { title }).kind).toBe("shell");
    expect(call("other", {}, { title: "browser_constructor" }).kind).toBe(
      "other",
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

  test("several edits and a patch are shown too", () => {
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

  test("input that is no object is shown as it is", () => {
    for (const input of ['{"cut": "in the mid', "plain words", "[1]"]) {
      expect(call("thing", input).fields).toEqual([
        { name: "input", value: input },
      ]);
    }
    expect(call("thing", "null").fields).toEqual([]);
    expect(call("thing", "").subject).toBe("thing title");
  });

  test("no input breaks it", () => {
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

  test("what stays and what is taken away is the old text, what stays and what is put in the new one", () => {
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

  test("it finds the shortest difference of what differs little", () => {
    const lines = diffLines("a\nb\nc\nd\n", "a\nc\nx\nd\n");
    expect(countChanges(lines)).toEqual({ added: 1, removed: 1 });
  });

  test("texts that differ in very many lines are compared in linear time", async () => {
    const many = (mark: string, length: number) =>
      Array.from({ length }, (_, index) => `${mark}${index}`).join("\n");
    const [one, other] = [many("a", 17_600), many("b", 17_600)];
    const compare = () => diffLines(one, other);
    expect(countChanges(compare())).toEqual({ added: 17_600, removed: 17_600 });
    const copy = () =>
      [one, other].map((each) => each.split("\n").map((text) => ({ text })));
    // Each line with each other one, it would be a thousand times as much.
    expect(await costRatio(compare, copy)).toBeLessThan(30);
  });

  test("a unified patch is read without its head", () => {
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
  test("colours, titles and overwritten lines are left out", () => {
    expect(toPlainOutput("\u001b[31mred\u001b[0m\u0007")).toBe("red");
    expect(toPlainOutput("\u001b]0;title\u0007text")).toBe("text");
    expect(toPlainOutput("10 %\r50 %\rdone\nnext\r\nlast")).toBe(
      "done\nnext\nlast",
    );
  });

  test("a long text shows its beginning and says how much is left", () => {
    const text = Array.from({ length: 100 }, (_, index) => index).join("\n");
    const { shown, hidden } = clampLines(text, 20);
    expect(countLines(shown)).toBe(20);
    expect(hidden).toBe(80);
  });

  test("a text that is a little too long is shown whole", () => {
    const text = Array.from({ length: 24 }, (_, index) => index).join("\n");
    expect(clampLines(text, 20)).toEqual({ shown: text, hidden: 0 });
  });

  test("one endless line is cut too", () => {
    const { shown, hidden } = clampLines("x".repeat(100_000), 20);
    expect(shown.length).toBe(4_000);
    expect(hidden).toBe(1);
  });

  test("a text that grows shows its end", () => {
    expect(lastLines("a\nb\nc\n", 2)).toBe("b\nc");
  });
});
