import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

/**
 * Finds the files of a checkout that differ from where its branch left the main one, uncommitted and new ones included. On
 * the main branch itself these are the files of its last commit.
 *
 * @param {string} folder The root of the checkout.
 * @returns {string[] | undefined} Paths from the root; `undefined` where there is nothing to compare with, as in a checkout
 *   without history.
 */
export function findChangedFiles(folder) {
  const base = findBase(folder);
  if (base === undefined) return undefined;
  const changed = git(folder, "diff", "--name-only", "-z", base);
  const added = git(folder, "ls-files", "--others", "--exclude-standard", "-z");
  if (changed === undefined || added === undefined) return undefined;
  const paths = `${changed}${added}`.split("\0").filter(Boolean);
  return [...new Set(paths)].filter((path) => existsSync(join(folder, path)));
}

function findBase(folder) {
  const head = git(folder, "rev-parse", "HEAD");
  for (const main of ["origin/main", "main"]) {
    const base = git(folder, "merge-base", "HEAD", main);
    if (base !== undefined && base !== head) return base;
  }
  return git(folder, "rev-parse", "--verify", "HEAD~1");
}

/** What git prints, `undefined` if it fails. */
function git(folder, ...args) {
  const { status, stdout } = spawnSync("git", args, {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  return status === 0 ? stdout.trim() : undefined;
}
