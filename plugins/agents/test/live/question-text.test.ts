import { expect, test } from "vitest";
import { toOptionLabel, toQuestionText } from "../../src/live/question-text.ts";

const shown = (title: string, body = "") =>
  toQuestionText({ kind: "permission", title, body });

test("a body that only repeats the title is left out", () => {
  for (const body of ["May I?", " May I?\n", '{\n  "title": "May I?"\n}', "  "])
    expect(shown("May I?", body)).toEqual({ title: "May I?", body: "" });
  expect(shown("Run a command", '{"command": "ls"}').body).not.toBe("");
  expect(shown("Run a command", "ls").body).toBe("ls");
});

test("a title of several lines continues in the body, and one that is too long stands there whole", () => {
  expect(shown("Careful:\n\n  rm -r x\n\nAllow?", "More.")).toEqual({
    title: "Careful:",
    body: "rm -r x\n\nAllow?\n\nMore.",
  });
  const long = "a".repeat(501);
  const { title, body } = shown(long);
  expect(title).toHaveLength(500);
  expect(body).toBe(long);
});

test("a question without words is one all the same", () => {
  expect(shown("").title).toBe("The agent asks for permission");
  expect(toQuestionText({ kind: "question", title: " ", body: "" }).title).toBe(
    "The agent has a question",
  );
});

test("no character hides or reorders another", () => {
  expect(shown("x", "rm -rf /\recho hello").body).toBe(
    "rm -rf /⟨U+000D⟩echo hello",
  );
  expect(shown("x", "\u001b[8mrm\u001b[0m\u0007").body).toBe(
    "⟨U+001B⟩[8mrm⟨U+001B⟩[0m⟨U+0007⟩",
  );
  expect(shown("a\u202eb", "c\u200bd\u007f")).toEqual({
    title: "a⟨U+202E⟩b",
    body: "c⟨U+200B⟩d⟨U+007F⟩",
  });
  expect(shown("x", "one\r\n\ttwo 👩‍💻").body).toBe("one\n\ttwo 👩‍💻");
});

test.each(["\u200c", "\u200d", "\u061c", "\u3164", "\u{e0041}", "\ufe0f"])(
  "%j is written out in the title, the body and a label",
  (character) => {
    const code = character.codePointAt(0)!.toString(16).toUpperCase();
    const written = `a⟨U+${code.padStart(4, "0")}⟩b`;
    const hidden = `a${character}b`;
    expect(shown(hidden, `${hidden} c`)).toEqual({
      title: written,
      body: `${written} c`,
    });
    expect(toOptionLabel(hidden)).toBe(written);
  },
);

test("a label is one short line", () => {
  expect(toOptionLabel(" Yes,\n  always ")).toBe("Yes, always");
  expect(toOptionLabel("y".repeat(1000))).toHaveLength(200);
});

test("a body that is cut says so", () => {
  const { body } = shown("x", "y".repeat(20_000));
  expect(body).toMatch(/y\n\[3616 more characters are not shown\]$/);
  const hidden = shown("x", "\u200b".repeat(20_000)).body;
  expect(hidden).toMatch(/characters are not shown\]$/);
  expect(hidden.length).toBeLessThan(17_000);
});
