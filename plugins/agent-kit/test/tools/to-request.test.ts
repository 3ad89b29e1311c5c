import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toRequest, type RequestedTool } from "../../src/tools/to-request.ts";

const ask = (
  input: unknown,
  more: Partial<RequestedTool> = {},
): ReturnType<typeof toRequest> =>
  toRequest({
    name: "bash",
    title: "",
    input: input === undefined ? "" : JSON.stringify(input),
    ...more,
  });

describe("a request for permission in words", () => {
  test("a command is shown as it is", () => {
    expect(ask({ command: "git push\ngit tag" }, { title: "Publish" })).toEqual(
      { title: "Publish", body: "git push\ngit tag" },
    );
    expect(
      ask(
        { command: "rm -r build", description: "Clean up" },
        { title: "Clean up" },
      ),
    ).toEqual({ title: "Clean up", body: "rm -r build" });
  });

  test("a title that is only the tool's name is completed with its subject", () => {
    expect(ask({ command: "make clean" })).toEqual({
      title: "bash: make clean",
      body: "",
    });
    expect(ask({ command: "make a\nmake b" }, { title: "Bash" })).toEqual({
      title: "Bash: make a",
      body: "make a\nmake b",
    });
    expect(
      ask({ file_path: "/a/b.ts" }, { name: "read", title: "Read" }),
    ).toEqual({ title: "Read: /a/b.ts", body: "" });
  });

  test("a title that is the command is enough", () => {
    expect(ask({ command: "make" }, { title: "make" })).toEqual({
      title: "make",
      body: "",
    });
    expect(ask({ title: "Sure?" }, { name: "ask", title: "Sure?" })).toEqual({
      title: "Sure?",
      body: "",
    });
  });

  test("an edit shows what would change", () => {
    const edit = {
      file_path: "/a/b.ts",
      old_string: "one\ntwo",
      new_string: "one\n2",
    };
    expect(ask(edit, { name: "edit", title: "Edit b.ts" })).toEqual({
      title: "Edit b.ts",
      body: "/a/b.ts\n one\n-two\n+2",
    });
  });

  test("a change reported by the CLI takes precedence over its input", () => {
    const before = Array.from({ length: 40 }, (_, index) => `${index}\n`);
    const after = before.map((line) => (line === "20\n" ? "twenty\n" : line));
    const { body } = ask(undefined, {
      name: "edit",
      title: "Edit",
      paths: ["/a/b.ts", "/other"],
      changes: [
        { path: "/a/b.ts", before: before.join(""), after: after.join("") },
      ],
    });
    expect(body.split("\n")).toEqual([
      "/other",
      "",
      "/a/b.ts",
      "…",
      " 17",
      " 18",
      " 19",
      "-20",
      "+twenty",
      " 21",
      " 22",
      " 23",
      "…",
    ]);
  });

  test("a new file shows its path and what is in it", () => {
    const { title, body } = ask(
      { path: "a.txt", content: "hello\nworld\n" },
      { name: "write", title: "Write a file" },
    );
    expect(title).toBe("Write a file");
    expect(body).toBe("path: a.txt\n\nhello\nworld\n");
  });

  test("unknown inputs are shown by name", () => {
    expect(
      ask(
        { url: "https://example.org", depth: 2, tags: ["a"] },
        { name: "crawl", title: "Crawl a site", notes: ["Only this host."] },
      ).body,
    ).toBe(
      'Only this host.\n\nurl: https://example.org\ndepth: 2\ntags:\n[\n  "a"\n]',
    );
  });

  test("no input hides another one", () => {
    const { body } = ask(
      { command: "ls", script: "rm -rf /", cmd: "dd" },
      { title: "List" },
    );
    expect(body).toBe("ls\n\nscript: rm -rf /\ncmd: dd");
    const edit = ask(
      {
        path: "a",
        edits: [{ oldText: "x", newText: "y", everywhere: true }],
      },
      { name: "edit", title: "Edit a" },
    );
    expect(edit.body).toContain("-x\n+y");
    expect(edit.body).toContain('"everywhere": true');
  });

  test("a shell that runs one line is left out if it is a system shell", () => {
    expect(ask({ command: ["/bin/bash", "-lc", "git log"] }).title).toBe(
      "bash: git log",
    );
    expect(ask({ command: ["/tmp/bash", "-c", "git log"] }).title).toBe(
      "bash: /tmp/bash -c git log",
    );
  });

  test("any input is accepted, and every text of the input is shown", () => {
    const texts = fc.dictionary(
      fc.constantFrom("command", "path", "content", "oldText", "newText", "x"),
      fc.stringMatching(/^[a-z]{5,9}$/),
    );
    const names = fc.constantFrom("bash", "edit", "write", "read", "odd");
    fc.assert(
      fc.property(names, texts, (name, input) => {
        fc.pre(input["oldText"] !== input["newText"]);
        const { title, body } = ask(input, { name, title: "May I?" });
        for (const value of Object.values(input))
          expect(`${title}\n${body}`).toContain(value);
      }),
    );
    fc.assert(
      fc.property(fc.string(), fc.jsonValue(), (name, input) => {
        expect(typeof ask(input, { name }).body).toBe("string");
      }),
    );
  });
});
