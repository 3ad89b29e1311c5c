import { lstat, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { readRepositoryConfig, type ReadConfig } from "./config-file.ts";
import { readPlainFile } from "./read-plain-file.ts";

const MAX_LINK_BYTES = 4096;

/** Folders of a repository. */
export interface RepositoryPlaces {
  /** Top folder of the working tree. */
  root: string;
  /** Git's folder for this working tree, with its index for example. */
  folder: string;
  /** Git's folder that all working trees share, with objects and settings for example. */
  common: string;
}

/** A repository with a working tree, and its configuration at the time it was found. */
export interface Repository extends RepositoryPlaces {
  config: ReadConfig;
}

/**
 * Finds the repository that a folder belongs to, without running git. `undefined` also for these:
 *
 * - a `.git` file whose target, a linked working tree or a submodule, does not name this folder in turn
 * - a `.git` that is a symbolic link
 * - a repository whose configuration puts its files into another folder
 * - a bare repository, which hides one around it
 */
export async function findRepository(
  folder: string,
): Promise<Repository | undefined> {
  const start = await realpath(folder).catch(() => undefined);
  if (start === undefined) return undefined;
  for (let root = start; ; root = dirname(root)) {
    const entry = join(root, ".git");
    const stats = await lstat(entry).catch(() => undefined);
    if (stats?.isDirectory()) return await openFolder(root, entry);
    if (stats) return stats.isFile() ? await followLink(root) : undefined;
    if (dirname(root) === root || (await isGitFolder(root))) return undefined;
  }
}

async function isGitFolder(folder: string): Promise<boolean> {
  const has = (name: string) =>
    stat(join(folder, name)).then(
      () => true,
      () => false,
    );
  return (await has("HEAD")) && (await has("objects")) && (await has("refs"));
}

async function openFolder(
  root: string,
  folder: string,
): Promise<Repository | undefined> {
  const [head, shared, config] = await Promise.all([
    stat(join(folder, "HEAD")).catch(() => undefined),
    lstat(join(folder, "commondir")).catch(() => undefined),
    readRepositoryConfig({ folder, common: folder }),
  ]);
  // git would read the branches of the repository that `commondir` names.
  if (!head?.isFile() || shared) return undefined;
  const trees = namedTrees(folder, config);
  return trees.every((tree) => tree === root)
    ? { root, folder, common: folder, config }
    : undefined;
}

async function followLink(root: string): Promise<Repository | undefined> {
  const entry = join(root, ".git");
  const target = /^gitdir: (.+)\n?$/.exec(await readSmall(entry))?.[1];
  if (target === undefined) return undefined;
  const folder = await realpath(resolve(root, target)).catch(() => undefined);
  if (folder === undefined) return undefined;
  const shared = (await readSmall(join(folder, "commondir"))).trim();
  return shared === ""
    ? await openSubmodule(root, folder)
    : await openLinkedTree(root, folder, shared);
}

async function openSubmodule(
  root: string,
  folder: string,
): Promise<Repository | undefined> {
  const config = await readRepositoryConfig({ folder, common: folder });
  const trees = namedTrees(folder, config);
  return trees.length > 0 && trees.every((tree) => tree === root)
    ? { root, folder, common: folder, config }
    : undefined;
}

async function openLinkedTree(
  root: string,
  folder: string,
  shared: string,
): Promise<Repository | undefined> {
  const common = dirname(dirname(folder));
  const back = (await readSmall(join(folder, "gitdir"))).trim();
  const leadsTo = async (name: string, path: string) =>
    name !== "" &&
    (await realpath(resolve(folder, name)).catch(() => "")) === path;
  const isOwn =
    basename(dirname(folder)) === "worktrees" &&
    (await leadsTo(shared, common)) &&
    (await leadsTo(back, join(root, ".git")));
  if (!isOwn) return undefined;
  // `core.worktree` in it refers to the main working tree.
  const config = await readRepositoryConfig({ folder, common });
  return { root, folder, common, config };
}

/** The values of `core.worktree` as absolute paths. */
function namedTrees(folder: string, { entries = [] }: ReadConfig): string[] {
  return entries
    .filter(({ section, key }) => section === "core" && key === "worktree")
    .map(({ value }) =>
      resolve(folder, Buffer.from(value ?? "", "latin1").toString()),
    );
}

async function readSmall(path: string): Promise<string> {
  const read = readPlainFile(path, MAX_LINK_BYTES);
  return await read.then(String, () => "");
}
