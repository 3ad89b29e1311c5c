import { execFile } from "node:child_process";
import { promisify } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { composeCommand } from "../../src/repository/compose.ts";
import {
  composeInput,
  GIT_ACTIONS,
  type ComposeInput,
} from "../../src/repository/compose-input.ts";
import { isRefName } from "../../src/repository/revision.ts";
import { plainGit } from "../help/plain-git.ts";

describe("commands", () => {
  test.each<[ComposeInput, string, string]>([
    [
      { action: "commit", message: "It's done" },
      "git commit -a -m 'It'\\''s done'",
      "safe",
    ],
    [{ action: "push" }, "git push -u origin HEAD", "publishes"],
    [
      { action: "push", target: "origin", name: "topic" },
      "git push -u origin topic",
      "publishes",
    ],
    [{ action: "pull" }, "git pull --ff-only", "moves"],
    [
      { action: "branch", name: "topic", target: "main" },
      "git branch --no-track topic main",
      "safe",
    ],
    [{ action: "switch", target: "main" }, "git switch main", "moves"],
    [{ action: "switch", name: "new" }, "git switch -c new", "moves"],
    [{ action: "merge", target: "topic" }, "git merge topic", "moves"],
    [
      { action: "rebase", target: "origin/main" },
      "git rebase origin/main",
      "moves",
    ],
    [{ action: "stash" }, "git stash push --include-untracked", "moves"],
    [
      { action: "tag", name: "v1", message: "One" },
      "git tag -a -m One v1",
      "safe",
    ],
    [
      { action: "worktree", name: "fix/it" },
      "git worktree add -b fix/it ../fix-it",
      "safe",
    ],
  ])("%j", (input, command, risk) => {
    expect(composeCommand(input)).toMatchObject({ command, risk });
  });

  test.each<[ComposeInput, string]>([
    [{ action: "commit" }, "COMPOSE_INCOMPLETE"],
    [{ action: "commit", message: " " }, "COMPOSE_INCOMPLETE"],
    [{ action: "merge" }, "COMPOSE_INCOMPLETE"],
    [{ action: "merge", target: "--strategy=x" }, "REVISION_INVALID"],
    [{ action: "push", target: "ext::sh -c x" }, "REVISION_INVALID"],
    [
      { action: "push", target: "https://user:pw@evil.example/x" },
      "REVISION_INVALID",
    ],
    [{ action: "branch", name: "a b" }, "REVISION_INVALID"],
    [{ action: "tag", name: "-d" }, "REVISION_INVALID"],
    [{ action: "worktree", name: "../x" }, "REVISION_INVALID"],
  ])("%j is refused: %s", (input, code) => {
    expect(() => composeCommand(input)).toThrow(
      expect.objectContaining({ code }),
    );
  });

  test("a message with control characters of a terminal is refused", () => {
    for (const message of ["\u001b[2J", "a\rb", "\u202eb", "\u0085", "\ud800"])
      expect(
        composeInput.safeParse({ action: "commit", message }).success,
      ).toBe(false);
    expect(
      composeInput.safeParse({ action: "commit", message: "a\n\tb 👩‍👩‍👧" })
        .success,
    ).toBe(true);
  });

  test("whatever is given, a shell takes it for the very words that are told", async () => {
    const text = fc.string({ unit: "grapheme", maxLength: 40 });
    const inputs = fc.sample(
      fc.record(
        {
          action: fc.constantFrom(...GIT_ACTIONS),
          target: text,
          name: text,
          message: text,
        },
        { requiredKeys: ["action"] },
      ),
      600,
    );
    const made = inputs.flatMap((input) => {
      const parsed = composeInput.safeParse(input);
      if (!parsed.success) return [];
      try {
        return [composeCommand(parsed.data)];
      } catch {
        return [];
      }
    });
    expect(made.length).toBeGreaterThan(50);
    const script = made
      .map(
        ({ command }) =>
          `(git() { printf '%s\\0' git "$@"; printf '\\0'; }; ${command}\n)`,
      )
      .join("\n");
    const { stdout } = await promisify(execFile)("sh", ["-c", script]);
    expect(
      stdout
        .split("\0\0")
        .slice(0, -1)
        .map((words) => words.split("\0")),
    ).toEqual(made.map(({ args }) => args));
  });
});

test(
  "a name is one that git allows, and no option",
  { tags: ["thorough"] },
  async () => {
    const odd = fc.stringMatching(/^[a\-./@{}~^:?*[\\]{1,8}$/);
    for (const name of new Set(fc.sample(odd, 60))) {
      const allowed = await plainGit(
        "/",
        "check-ref-format",
        `refs/heads/${name}`,
      ).then(
        () => true,
        () => false,
      );
      // Ours is as strict or stricter.
      if (isRefName(name)) expect(allowed, name).toBe(true);
    }
    for (const name of [
      "main",
      "feature/x",
      "v1.0",
      "refs/heads/-evil",
      "ü",
      "HEAD",
    ])
      expect(isRefName(name), name).toBe(true);
    for (const name of [
      "-evil",
      "--output=/tmp/x",
      "a..b",
      "@{u}",
      "@",
      "x^",
      "HEAD:../x",
      "a b",
      "a.lock",
      "",
      "/a",
      "a/",
    ])
      expect(isRefName(name), name).toBe(false);
  },
);
