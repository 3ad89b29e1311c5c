import { lstat, realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { Git } from "@gantry/plugin";
import { ConfigDigest } from "./config-digest.ts";

/** Configuration that a folder brings along and that a CLI would run. */
export interface FolderConfig {
  /** The folder, with every link followed. */
  path: string;
  /** Where its repository comes from, `null` if it has none. */
  remote: string | null;
  /** Changes with every byte of the configuration. */
  digest: string;
  /** Which of the CLI's files were found. */
  files: string[];
}

/**
 * Looks for the configuration that a driver names. Runs nothing.
 *
 * @returns `undefined` if there is none
 * @throws AGENT_CONFIG_TOO_LARGE if there is more than can be looked at before each start
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
