import { lstat, realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { Git } from "@gantry/plugin";
import { ConfigDigest } from "./config-digest.ts";

/** Configuration in a folder that a CLI would run. */
export interface FolderConfig {
  /** The real path of the folder. */
  path: string;
  /** The remote `origin` of its repository; `null` if there is none. */
  remote: string | null;
  /** Digest of the whole configuration. */
  digest: string;
  /** Which of the CLI's files were found. */
  files: string[];
}

/**
 * Finds configuration at the paths that a driver names. Runs nothing.
 *
 * @returns `undefined` if there is none
 * @throws AGENT_CONFIG_TOO_LARGE if there is more than can be read before each start
 */
export async function findFolderConfig(
  cwd: string,
  trustPaths: readonly string[],
  git: Pick<Git, "remote">,
): Promise<FolderConfig | undefined> {
  const path = await realpath(cwd);
  const home = await realpath(homedir()).catch(() => homedir());
  const files: string[] = [];
  const digest = new ConfigDigest();
  for (const trustPath of trustPaths) {
    for (const [file, shown] of placesOf(path, trustPath, home)) {
      if (!(await exists(file))) continue;
      files.push(shown);
      await digest.add(file, shown);
    }
  }
  if (files.length === 0) return undefined;
  return {
    path,
    remote: (await git.remote(path, "origin")) ?? null,
    digest: await digest.toHex(),
    files,
  };
}

/**
 * The locations of a trust path. One that begins with `^` is looked up in the folder and in all folders above it, except
 * the user's home folder, whose files belong to the user and not to a project.
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
