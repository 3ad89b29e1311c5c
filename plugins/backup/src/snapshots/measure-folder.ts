import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { codeOf } from "../archive/refusals.ts";

/** After this many files, it yields to other work. */
const AT_ONCE = 64;

/**
 * Bytes of all files in a folder, of one that is linked several times only once. What goes away meanwhile does not count; a folder
 * that is not there has 0.
 */
export async function measureFolder(
  folder: string,
  signal: AbortSignal,
): Promise<number> {
  let bytes = 0;
  const linked = new Set<string>();
  const folders = [folder];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    signal.throwIfAborted();
    const entries = await readdir(next, { withFileTypes: true }).catch(ifGone);
    const files: string[] = [];
    for (const entry of entries ?? []) {
      const path = join(next, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isFile()) files.push(path);
    }
    for (let at = 0; at < files.length; at += AT_ONCE) {
      const all = await Promise.all(
        files.slice(at, at + AT_ONCE).map((file) => lstat(file).catch(ifGone)),
      );
      for (const stats of all) {
        if (!stats) continue;
        const inode = `${stats.dev} ${stats.ino}`;
        if (stats.nlink > 1 && linked.has(inode)) continue;
        if (stats.nlink > 1) linked.add(inode);
        bytes += stats.size;
      }
    }
  }
  return bytes;
}

function ifGone(error: unknown): undefined {
  if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR")
    return undefined;
  throw error;
}
