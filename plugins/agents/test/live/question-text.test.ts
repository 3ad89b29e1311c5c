import { expect, test } from "vitest";
import { toQuestionText } from "../../src/live/question-text.ts";

const shown = (title: string, body = "") =>
  toQuestionText({ kind: "permission", title, body });

test("a body that only repeats the title is left out", () => {
  for (const body of ["May I?", " May I?\n", '{\n  "title": "May I?"\n}', "  "])
    expect(shown("May I?", body)).toEqual({ title: "May I?", body: "" });
  expect(shown("Run a command", '{"command": "ls"}').body).not.toBe("");
  expect(shown("Run a command", "ls").body).toBe("ls");
});

test("a title of several lines goes on in the body, and one that is too long stands there whole", () => {
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

test("no sign hides another", () => {
  expect(shown("x", "rm -rf /\recho hello").body).toBe("rm -rf /␍echo hello");
  expect(shown("x", "\u001b[8mrm\u001b[0m\u0007").body).toBe("␛[8mrm␛[0m␇");
  expect(shown("a\u202eb", "c\u200bd\u007f")).toEqual({
    title: "a\\u202eb",
    body: "c\\u200bd\\u007f",
  });
  expect(shown("x", "one\r\n\ttwo 👩‍💻").body).toBe("one\n\ttwo 👩‍💻");
});

test("a body that is cut says so", () => {
  const { body } = shown("x", "y".repeat(20_000));
  expect(body).toMatch(/y\n\[3616 more characters are not shown\]$/);
});
