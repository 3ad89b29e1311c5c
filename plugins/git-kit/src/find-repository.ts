import { lstat, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { readRepositoryConfig, type ReadConfig } from "./config-file.ts";
import { readPlainFile } from "./read-plain-file.ts";

const MAX_LINK_BYTES = 4096;

/** Where the parts of a repository are. */
export interface RepositoryPlaces {
  /** Top folder of the working tree. */
  root: string;
  /** Where git keeps what belongs to this working tree, such as its index. */
  folder: string;
  /** Where git keeps what all working trees share, such as objects and settings. */
  common: string;
}

/** A repository with a working tree, and its configuration as it was when it was found. */
export interface Repository extends RepositoryPlaces {
  config: ReadConfig;
}

/** A repository that is not read, and why. */
export interface RefusedRepository {
  /** Whole sentences, the last of which is the way out. */
  refusal: string;
}

/** Finds the repository that a folder belongs to, without running git. `undefined` also for one that is refused. */
export async function findRepository(
  folder: string,
): Promise<Repository | undefined> {
  const found = await inspectRepository(folder);
  return found && "refusal" in found ? undefined : found;
}

/**
 * Finds the repository that a folder belongs to, or why that is not read. Refused are:
 *
 * - a `.git` file or link whose target, a linked working tree or a repository elsewhere, does not name this folder in turn:
 *   it may be any repository of the user, which was not opened
 * - a repository whose configuration puts its files into another folder
 * - a bare repository, which hides one around it
 */
export async function inspectRepository(
  folder: string,
): Promise<Repository | RefusedRepository | undefined> {
  const start = await realpath(folder).catch(() => undefined);
  if (start === undefined) return undefined;
  for (let root = start; ; root = dirname(root)) {
    const entry = join(root, ".git");
    const stats = await lstat(entry).catch(() => undefined);
    if (stats?.isDirectory()) return await openFolder(root, entry);
    if (stats?.isSymbolicLink())
      return await openElsewhere(root, entry, "a link");
    if (stats?.isFile()) return await followFile(root);
    if (stats) return undefined;
    if (await isGitFolder(root))
      return { refusal: "It is a bare repository, without a working tree." };
    if (dirname(root) === root) return undefined;
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
): Promise<Repository | RefusedRepository> {
  const [head, shared, config] = await Promise.all([
    stat(join(folder, "HEAD")).catch(() => undefined),
    lstat(join(folder, "commondir")).catch(() => undefined),
    readRepositoryConfig({ folder, common: folder }),
  ]);
  if (!head?.isFile())
    return {
      refusal: `${folder} has no HEAD, so it is no whole repository. Run "git init" to make it one.`,
    };
  // git would read the branches of the repository that `commondir` names.
  if (shared)
    return {
      refusal: `${join(folder, "commondir")} names another repository, which is not read. Remove that file.`,
    };
  const other = namedTrees(folder, config).find((tree) => tree !== root);
  return other === undefined
    ? { root, folder, common: folder, config }
    : {
        refusal: `Its configuration says that its files are in ${other} (core.worktree). Run "git config --unset core.worktree" to read those in ${root}.`,
      };
}

async function followFile(
  root: string,
): Promise<Repository | RefusedRepository> {
  const entry = join(root, ".git");
  const target = /^gitdir: (.+)\n?$/.exec(await readSmall(entry))?.[1];
  if (target === undefined)
    return {
      refusal: `${entry} is a file that names no repository. Remove it, or clone it again.`,
    };
  const folder = resolve(root, target);
  const shared = (await readSmall(join(folder, "commondir"))).trim();
  return shared === ""
    ? await openElsewhere(root, folder, "a file")
    : await openLinkedTree(root, folder, shared);
}

/** Opens a submodule, or any other repository whose folder is not in the working tree, if it names that. */
async function openElsewhere(
  root: string,
  address: string,
  kind: string,
): Promise<Repository | RefusedRepository> {
  const folder = await realpath(address).catch(() => undefined);
  if (folder === undefined)
    return {
      refusal: `Its .git is ${kind} that leads to ${address}, and nothing is there. If that folder was moved, move it back.`,
    };
  const config = await readRepositoryConfig({ folder, common: folder });
  const trees = namedTrees(folder, config);
  return trees.length > 0 && trees.every((tree) => tree === root)
    ? { root, folder, common: folder, config }
    : {
        refusal: `Its .git is ${kind} that leads to ${folder}, and that repository does not name this folder as its own. Run "git config core.worktree ${root}" in it if it is.`,
      };
}

async function openLinkedTree(
  root: string,
  address: string,
  shared: string,
): Promise<Repository | RefusedRepository> {
  const folder = await realpath(address).catch(() => address);
  const common = dirname(dirname(folder));
  const back = (await readSmall(join(folder, "gitdir"))).trim();
  const leadsTo = async (name: string, path: string) =>
    name !== "" &&
    (await realpath(resolve(folder, name)).catch(() => "")) === path;
  const isOwn =
    basename(dirname(folder)) === "worktrees" &&
    (await leadsTo(shared, common)) &&
    (await leadsTo(back, join(root, ".git")));
  if (!isOwn)
    return {
      refusal: `It is a working tree that was moved or copied: its repository, ${common}, knows it as ${dirname(back)}. Run "git worktree repair" in it if it was moved.`,
    };
  // `core.worktree` in it is about the main working tree.
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
