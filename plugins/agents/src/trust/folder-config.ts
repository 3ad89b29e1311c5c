import { createHash, type Hash } from "node:crypto";
import { lstat, readdir, readFile, realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { Git } from "@gantry/plugin";

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

/** Larger files count by size and time alone, so that looking stays quick. */
const HASHED_BYTES = 1024 * 1024;
/** After so many files the rest counts by nothing but their number: nobody reads so many before trusting them. */
const MAX_FILES = 5000;

/** Looks for the configuration that a driver names. `undefined` if there is none. Runs nothing. */
export async function findFolderConfig(
  cwd: string,
  trustPaths: readonly string[],
  git: Pick<Git, "remote">,
): Promise<FolderConfig | undefined> {
  const path = await realpath(cwd);
  const home = await realpath(homedir()).catch(() => homedir());
  const files: string[] = [];
  const hash = createHash("sha256");
  const state = { seen: new Set<string>(), count: 0 };
  for (const trustPath of trustPaths) {
    for (const [file, shown] of placesOf(path, trustPath, home)) {
      if (!(await exists(file))) continue;
      files.push(shown);
      await addTree(hash, file, shown, state);
    }
  }
  if (files.length === 0) return undefined;
  return {
    path,
    remote: (await git.remote(path, "origin")) ?? null,
    digest: hash.digest("hex"),
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

async function addTree(
  hash: Hash,
  file: string,
  shown: string,
  state: { seen: Set<string>; count: number },
): Promise<void> {
  state.count += 1;
  hash.update(`${shown}\0`);
  if (state.count > MAX_FILES) return;
  // Links are followed, as the CLI would do; what lies behind one counts as if it were here.
  const real = await realpath(file).catch(() => undefined);
  const stats =
    real === undefined ? undefined : await stat(real).catch(() => undefined);
  if (real === undefined || !stats) return void hash.update("gone\0");
  if (!stats.isDirectory()) return await addFile(hash, real, stats);
  if (state.seen.has(real)) return void hash.update("again\0");
  state.seen.add(real);
  for (const name of (await readdir(real)).sort())
    await addTree(hash, join(real, name), `${shown}/${name}`, state);
}

async function addFile(
  hash: Hash,
  file: string,
  stats: { size: number; mtimeMs: number; isFile(): boolean },
): Promise<void> {
  if (!stats.isFile()) hash.update("special\0");
  else if (stats.size > HASHED_BYTES)
    hash.update(`${stats.size}:${stats.mtimeMs}\0`);
  else
    hash.update(
      createHash("sha256")
        .update(await readFile(file))
        .digest(),
    );
}
