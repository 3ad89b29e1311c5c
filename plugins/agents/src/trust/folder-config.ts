import { lstat, realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import type { Git } from "@gantry/git-kit";
import { ConfigDigest, type ReadConfig } from "./config-digest.ts";

/** Configuration that a folder brings along and that a CLI would run. */
export interface FolderConfig extends ReadConfig {
  /** The folder, with every link followed. */
  path: string;
  /** Where its repository comes from, `null` if it has none. */
  remote: string | null;
  /**
   * The repository that the folder is in: where it keeps what its working trees share, and the folder's path from the top
   * of its working tree on. `null` if it is in none.
   */
  repository: { common: string; position: string } | null;
  /** Which of the CLI's files and folders were found. */
  found: string[];
}

/** What is asked of git. It names a repository only for a folder that the repository names in turn. */
type TrustGit = Pick<Git, "remote" | "root" | "common">;

/**
 * Looks for the configuration that a driver names. Runs nothing.
 *
 * @returns `undefined` if there is none
 * @throws AGENT_CONFIG_TOO_LARGE if there is more than can be looked at before each start
 */
export async function findFolderConfig(
  cwd: string,
  trustPaths: readonly string[],
  git: TrustGit,
): Promise<FolderConfig | undefined> {
  const path = await realpath(cwd);
  const home = await realpath(homedir()).catch(() => homedir());
  const found: string[] = [];
  const repository = await findRepository(path, git);
  const digest = new ConfigDigest();
  for (const trustPath of trustPaths) {
    for (const [file, shown] of placesOf(path, trustPath, home)) {
      if (!(await exists(file))) continue;
      found.push(shown);
      const name =
        repository && (await nameInTree(file, repository.common, git));
      await digest.add(file, shown, name ?? shown);
    }
  }
  if (found.length === 0) return undefined;
  return {
    path,
    remote: (await git.remote(path, "origin")) ?? null,
    repository,
    found,
    ...(await digest.read()),
  };
}

async function findRepository(
  path: string,
  git: TrustGit,
): Promise<FolderConfig["repository"]> {
  const [root, common] = await Promise.all([git.root(path), git.common(path)]);
  if (root === undefined || common === undefined) return null;
  return { common, position: relative(root, path) };
}

/** The name of a file from the top of the working tree on, if that is one of this repository. */
async function nameInTree(
  file: string,
  repository: string,
  git: TrustGit,
): Promise<string | undefined> {
  const folder = dirname(file);
  const [root, common] = await Promise.all([
    git.root(folder),
    git.common(folder),
  ]);
  if (root === undefined || common !== repository) return undefined;
  const name = relative(root, file);
  const isInside = !isAbsolute(name) && name.split(sep)[0] !== "..";
  return isInside ? name : undefined;
}

/**
 * A path that begins with `^` is looked for in the folder and in every folder above it, but for the user's home: what
 * lies there is the user's own and came with no folder.
 */
function* placesOf(
  folder: string,
  trustPath: string,
  home: string,
): Generator<[string, string]> {
  if (!trustPath.startsWith("^"))
    return yield [join(folder, trustPath), trustPath];
  const name = trustPath.slice(1);
  for (let at = folder; ; at = dirname(at)) {
    if (at !== home)
      yield [join(at, name), at === folder ? name : join(at, name)];
    if (dirname(at) === at) return;
  }
}

async function exists(file: string): Promise<boolean> {
  return await lstat(file).then(
    () => true,
    () => false,
  );
}
