import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isLongRun } from "@gantry/build/testing";
import type { GitCommand } from "@gantry/plugin";
import { openGit } from "../support/git.ts";
import { createHostileRepository } from "@gantry/test-support/hostile-repository";
import { startSwapping } from "@gantry/test-support/swapping";

const COMMANDS: Readonly<Record<GitCommand, readonly string[]>> = {
  blame: ["a.txt"],
  "cat-file": ["-p", "HEAD:a.txt"],
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

const CALLS = isLongRun ? 32 : 4;
const AT_ONCE = 4;

/** Files and folders that a program swaps with a twin while git is called. */
const SWAPS: Readonly<Record<string, readonly string[]>> = {
  "configuration is": [".git/config"],
  "attributes are": [".gitattributes", ".git/info/attributes"],
  ".git is": [".git"],
};

test.each(Object.entries(SWAPS))(
  "no call runs a program of a repository in which the %s are swapped all the time",
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
            // During a swap a call may fail.
            git(folder, command as GitCommand, args).catch(() => {}),
          ),
        );
      expect([command, await ran()]).toEqual([command, []]);
    }
  },
);

/** Creates a harmless repository beside the hostile one, and harmless files beside those that name programs. */
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
