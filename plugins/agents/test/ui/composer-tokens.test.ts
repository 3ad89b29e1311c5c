import { describe, expect, test } from "vitest";
import { findCommand } from "../../ui/composer/findCommand.ts";
import { toShellCommand } from "../../ui/composer/sendChoices.ts";

/** A text with `|` where the cursor is. */
const at = (text: string): [string, number] => [
  text.replace("|", ""),
  text.indexOf("|"),
];

describe("a slash command", () => {
  test.each([
    ["/|", ""],
    ["/com|", "com"],
    ["/co|mpact", "co"],
    ["/compact| now", "compact"],
  ])("is looked for in %s", (text, query) => {
    expect(findCommand(...at(text))).toMatchObject({ from: 0, query });
  });

  test.each(["|/com", "say /com|", "/snip:a|", "/compact now|", "|", "a|"])(
    "is not in %s",
    (text) => expect(findCommand(...at(text))).toBeUndefined(),
  );

  test("is replaced whole", () => {
    expect(findCommand(...at("/co|mpact now"))).toMatchObject({ to: 8 });
  });
});

describe("a shell command", () => {
  test.each([
    ["!ls", "ls"],
    ["! git log\n", "git log"],
    ["!a\nb", "a\nb"],
  ])("is %j", (text, command) => expect(toShellCommand(text)).toBe(command));

  test.each(["!", "!  ", " !ls", "say !ls", ""])("is not %j", (text) =>
    expect(toShellCommand(text)).toBeUndefined(),
  );
});
