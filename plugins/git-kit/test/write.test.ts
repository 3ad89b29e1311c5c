import {
  chmod,
  cp,
  mkdir,
  readdir,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { GitWriteCommand } from "../src/git.ts";
import { openGit, openRun } from "./support/git.ts";
import { createHostileRepository } from "./support/hostile-repository.ts";
import { createRepository, plainGit } from "./support/repositories.ts";

const IDENTITY = { "user.name": "Ann", "user.email": "ann@example.org" };

describe("a command that writes", () => {
  test("starts no program of the repository, and does its work", async () => {
    const { folder, ran } = await createHostileRepository();
    await writeFile(join(folder, "new.txt"), "new\n");
    for (const [key, value] of Object.entries(IDENTITY))
      await plainGit(folder, "config", key, value);
    const git = await openGit();
    const writes: readonly [GitWriteCommand, string[], string][] = [
      ["update-index", ["--add", "-z", "--stdin"], "new.txt\0a.txt\0sub\0"],
      ["reset", ["-q", "--pathspec-from-file=-"], "a.txt\n"],
      ["commit", ["--quiet", "--file=-"], "New\n"],
      ["update-ref", ["refs/heads/other", "HEAD"], ""],
      ["hash-object", ["-w", "--stdin"], "text"],
    ];
    for (const [command, args, input] of writes) {
      const result = await git.write(folder, command, args, {
        ...{ programs: false, input },
      });
      expect([command, result.code, result.stderr]).toEqual([command, 0, ""]);
      expect(await ran()).toEqual([]);
    }
    const pushed = await git.write(folder, "push", ["origin", "HEAD:x"], {
      ...{ programs: false, reachesOut: true },
    });
    expect([pushed.code, pushed.stderr]).toEqual([
      128,
      "fatal: transport 'ext' not allowed\n",
    ]);
    expect(await ran()).toEqual([]);
    const log = await git(folder, "log", ["-1", "--format=%s %an", "other"]);
    expect(log.stdout).toBe("New Ann\n");
    const listed = await git(folder, "show", ["--format=", "--name-only"]);
    expect(listed.stdout).toBe("new.txt\nsub\n");
  });

  test("starts them if it is told to", async () => {
    const { folder, ran } = await createHostileRepository();
    const git = await openGit();
    await git.write(folder, "update-index", ["--add", "a.txt"], {
      programs: true,
    });
    expect(await ran()).toContain("clean");
  });

  test.each([
    "COMMIT_EDITMSG",
    "logs/HEAD",
    "logs/refs/heads/main",
    "logs/refs",
    "refs/heads",
    "index",
  ])("writes nothing through a link in the place of %s", async (name) => {
    const folder = await createRepository();
    for (const [key, value] of Object.entries(IDENTITY))
      await plainGit(folder, "config", key, value);
    const outside = join(folder, "../outside");
    const place = join(folder, ".git", name);
    await cp(place, outside, { recursive: true }).catch(() =>
      writeFile(outside, "mine\n"),
    );
    const listing = () => plainGit(dirname(outside), "hash-object", ...files);
    const files = (await stat(outside)).isDirectory()
      ? (await readdir(outside, { recursive: true, withFileTypes: true }))
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name))
      : [outside];
    const before = await listing();
    await rm(place, { recursive: true, force: true });
    await symlink(outside, place);
    const git = await openGit();
    const { code, stderr } = await git.write(
      folder,
      "commit",
      ["--quiet", "--allow-empty", "--file=-"],
      { programs: false, input: "x; touch canary\n" },
    );
    expect([code, stderr]).toEqual([
      128,
      `fatal: ${place} is a link, so git would write to what it leads to; put a file or folder of its own there\n`,
    ]);
    expect(await listing()).toBe(before);
  });

  test("is not run where there is no repository, or one that is not read", async () => {
    const git = await openGit();
    const folder = await createRepository();
    await rm(join(folder, ".git/HEAD"));
    const { code, stderr } = await git.write(folder, "reset", ["-q"], {
      programs: false,
    });
    expect([code, stderr]).toEqual([128, expect.stringContaining("HEAD")]);
  });
});

describe("programs that git would run", () => {
  const hook = async (folder: string, name: string, mode = 0o755) => {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, name), "#!/bin/sh\n");
    await chmod(join(folder, name), mode);
  };

  test("are hooks that can be started, wherever settings have them", async () => {
    const folder = await createRepository();
    const git = await openGit();
    await hook(join(folder, ".git/hooks"), "pre-commit", 0o644);
    await hook(join(folder, ".git/hooks"), "pre-push");
    const first = await git.programs(folder);
    expect(first).toMatchObject({ items: ["pre-push hook"], filters: [] });
    await plainGit(folder, "config", "core.hooksPath", ".husky/_");
    const none = await git.programs(folder);
    expect(none?.items).toEqual([]);
    await hook(join(folder, ".husky/_"), "commit-msg");
    await symlink("commit-msg", join(folder, ".husky/_/pre-commit"));
    const moved = await git.programs(folder);
    expect(moved?.items).toEqual(["pre-commit hook", "commit-msg hook"]);
    // A link is as good as what it leads to.
    await rm(join(folder, ".husky/_/commit-msg"));
    await hook(folder, "shared");
    await symlink("../../shared", join(folder, ".husky/_/commit-msg"));
    const linked = await git.programs(folder);
    await writeFile(join(folder, "shared"), "#!/bin/sh\nexit 1\n");
    const rewritten = await git.programs(folder);
    const all = [first, none, moved, rewritten];
    expect(new Set(all.map((each) => each?.mark)).size).toBe(4);
    expect(linked?.mark).toBe(moved?.mark);
  });

  test("are told from settings of the repository and of the user", async () => {
    const folder = await createRepository();
    const settings = join(folder, "../settings");
    await writeFile(settings, "[commit]\n\tgpgSign\n");
    const git = await openGit(await openRun({ GIT_CONFIG_GLOBAL: settings }));
    await plainGit(folder, "config", "core.sshCommand", "evil");
    await plainGit(folder, "config", "filter.lfs.process", "git-lfs");
    const before = await git.programs(folder);
    expect(before).toMatchObject({
      items: ["signing", "filter lfs", "core.sshcommand"],
      filters: ["lfs"],
    });
    await plainGit(folder, "config", "branch.main.remote", "origin");
    await plainGit(folder, "config", "remote.origin.url", "https://x.example/");
    expect((await git.programs(folder))?.mark).toBe(before?.mark);
    await plainGit(folder, "config", "core.sshCommand", "worse");
    expect((await git.programs(folder))?.mark).not.toBe(before?.mark);
  });
});
