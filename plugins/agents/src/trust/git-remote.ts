import { readFile, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

const LARGEST_CONFIG = 1024 * 1024;

/**
 * The address that a repository calls `origin`, read from its own files: git itself would run programs that the
 * repository chose. `null` if there is no repository or no such address.
 */
export async function readRemote(folder: string): Promise<string | null> {
  for (let at = folder; ; at = dirname(at)) {
    const config = await readGitConfig(join(at, ".git"));
    if (config !== undefined) return originOf(config);
    if (dirname(at) === at) return null;
  }
}

async function readGitConfig(git: string): Promise<string | undefined> {
  const direct = await read(join(git, "config"));
  if (direct !== undefined) return direct;
  // In a worktree, `.git` is a file that names the real place.
  const link = /^gitdir: (.+)$/m.exec((await read(git)) ?? "")?.[1];
  if (link === undefined) return undefined;
  const real = resolve(dirname(git), link.trim());
  const common = (await read(join(real, "commondir")))?.trim() ?? ".";
  return (await read(join(resolve(real, common), "config"))) ?? "";
}

/** Reads a small plain file; a pipe in its place would never end. */
async function read(file: string): Promise<string | undefined> {
  try {
    const stats = await stat(file);
    if (!stats.isFile() || stats.size > LARGEST_CONFIG) return undefined;
    return await readFile(file, "utf8");
  } catch {
    return undefined;
  }
}

function originOf(config: string): string | null {
  let inOrigin = false;
  for (const line of config.split("\n")) {
    if (/^\s*\[/.test(line)) inOrigin = /^\s*\[remote "origin"\]/.test(line);
    const url = inOrigin
      ? /^\s*url\s*=\s*(\S.*?)\s*$/.exec(line)?.[1]
      : undefined;
    if (url !== undefined) return url;
  }
  return null;
}
