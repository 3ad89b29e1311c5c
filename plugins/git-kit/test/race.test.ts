import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { cases } from "@gantry/build/testing";
import { expect, test } from "vitest";
import type { GitCommand } from "../src/git.ts";
import { openGit } from "./support/git.ts";
import { createHostileRepository } from "./support/hostile-repository.ts";
import { startSwapping } from "./support/swapping.ts";

const COMMANDS: Readonly<Record<GitCommand, readonly string[]>> = {
  blame: ["a.txt"],
  "cat-file": ["-p", "HEAD:a.txt"],
  "check-attr": ["filter", "a.txt"],
  diff: [],
  "for-each-ref": [],
  log: ["-p", "--format=%H %G? %s"],
  "ls-files": ["--others", "--modified", "--exclude-standard"],
  "ls-tree": ["HEAD"],
  "merge-base": ["HEAD", "HEAD~1"],
  "rev-list": ["HEAD"],
  "rev-parse": ["HEAD"],
  show: ["HEAD"],
  status: ["--porcelain=v2", "--branch"],
  "symbolic-ref": ["HEAD"],
  worktree: [],
};

const CALLS = 8;
const AT_ONCE = 4;

/** Files and folders that a program exchanges with a twin while git is called. */
const SWAPS: Readonly<Record<string, readonly string[]>> = {
  "configuration is": [".git/config"],
  "attributes are": [".gitattributes", ".git/info/attributes"],
  ".git is": [".git"],
};

test.each(cases(Object.entries(SWAPS)))(
  "no call runs a program of a repository in which the %s exchanged all the time",
  { tags: "alone" },
  async (_, paths) => {
    const git = await openGit();
    const { folder, ran } = await createHostileRepository();
    await addTwins(folder);
    await startSwapping(folder, paths);
    for (const [command, args] of Object.entries(COMMANDS)) {
      const calls = Array.from({ length: CALLS / AT_ONCE });
      for (const _ of calls)
        await Promise.all(
          Array.from({ length: AT_ONCE }, () =>
            // In the middle of an exchange a call may fail.
            git(folder, command as GitCommand, args).catch(() => {}),
          ),
        );
      expect([command, await ran()]).toEqual([command, []]);
    }
  },
);

/** Puts a harmless repository beside the hostile one, and harmless files beside those that name programs. */
async function addTwins(folder: string): Promise<void> {
  const config = "[core]\n\trepositoryformatversion = 0\n";
  await cp(join(folder, ".git"), join(folder, ".git.twin"), {
    recursive: true,
  });
  await writeFile(join(folder, ".git.twin/config"), config);
  await writeFile(join(folder, ".git/config.twin"), config);
  for (const path of [".gitattributes", ".git/info/attributes"])
    await writeFile(join(folder, `${path}.twin`), "");
}
