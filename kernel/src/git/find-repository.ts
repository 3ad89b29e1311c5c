import { lstat, readFile, realpath, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

const LONGEST_LINK = 4096;

/** A repository with a working tree. */
export interface Repository {
  /** Top folder of the working tree. */
  root: string;
  /** Where git keeps what belongs to this working tree. */
  folder: string;
}

/**
 * The repository that a folder lies in. A `.git` that is a file leads elsewhere, and anybody can write one: it counts
 * only if what it leads to, a worktree or a submodule, names this folder in turn. A link is followed nowhere.
 */
export async function findRepository(
  folder: string,
): Promise<Repository | undefined> {
  const start = await realpath(folder).catch(() => undefined);
  if (start === undefined) return undefined;
  for (let root = start; ; root = dirname(root)) {
    const entry = join(root, ".git");
    const stats = await lstat(entry).catch(() => undefined);
    if (stats?.isDirectory())
      return (await isFile(join(entry, "HEAD")))
        ? { root, folder: entry }
        : undefined;
    if (stats) {
      const linked = stats.isFile() ? await followLink(entry) : undefined;
      return linked === undefined ? undefined : { root, folder: linked };
    }
    if (dirname(root) === root) return undefined;
  }
}

async function followLink(entry: string): Promise<string | undefined> {
  const text = await readSmall(entry);
  const target = /^gitdir: (.+)\n?$/.exec(text)?.[1];
  if (target === undefined) return undefined;
  const folder = resolve(dirname(entry), target);
  const back = (await readSmall(join(folder, "gitdir"))).trim();
  const settings = await readSmall(join(folder, "config"));
  const worktree = /^\s*worktree = (.+)$/m.exec(settings)?.[1];
  for (const name of [back, worktree && join(worktree, ".git")]) {
    if (
      name &&
      (await realpath(resolve(folder, name)).catch(() => "")) === entry
    )
      return folder;
  }
  return undefined;
}

async function readSmall(path: string): Promise<string> {
  const stats = await stat(path).catch(() => undefined);
  if (!stats?.isFile() || stats.size > LONGEST_LINK) return "";
  return await readFile(path, "utf8").catch(() => "");
}

async function isFile(path: string): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined);
  return stats?.isFile() ?? false;
}
