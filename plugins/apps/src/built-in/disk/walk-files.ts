import type { Stats } from "node:fs";
import { lstat, opendir } from "node:fs/promises";
import { join } from "node:path";

/** Entries of a folder that are looked at together: few, since all of the daemon shares the threads that do it. */
const BATCH = 16;

/** A file that was found. */
export interface FoundFile {
  /** Names of the folders on the way to it, from where the walk began, and its own. */
  parts: readonly string[];
  bytes: number;
}

/**
 * All files under a folder. Links are left out, not followed, and a file with several names is given once. What cannot be
 * read, or vanishes meanwhile, is left out as well. Ends when the signal aborts.
 */
export async function* walkFiles(
  root: string,
  signal: AbortSignal,
): AsyncGenerator<FoundFile[]> {
  const open: (readonly string[])[] = [[]];
  const seen = new Set<string>();
  for (let parts = open.pop(); parts; parts = open.pop()) {
    for await (const names of readNames(join(root, ...parts))) {
      if (signal.aborted) return;
      const folder = parts;
      const found = await Promise.all(
        names.map(async (name) => {
          const path = [...folder, name];
          const stats = await lstat(join(root, ...path)).catch(() => undefined);
          return { path, stats };
        }),
      );
      const files: FoundFile[] = [];
      for (const { path, stats } of found) {
        if (stats?.isDirectory()) open.push(path);
        else if (stats?.isFile() && isNew(stats, seen))
          files.push({ parts: path, bytes: stats.size });
      }
      if (files.length > 0) yield files;
    }
  }
}

async function* readNames(folder: string): AsyncGenerator<string[]> {
  try {
    let names: string[] = [];
    for await (const { name } of await opendir(folder, { bufferSize: BATCH })) {
      if (names.push(name) < BATCH) continue;
      yield names;
      names = [];
    }
    if (names.length > 0) yield names;
  } catch {
    // Its owner may have removed it since it was listed.
  }
}

function isNew({ nlink, dev, ino }: Stats, seen: Set<string>): boolean {
  if (nlink < 2) return true;
  const file = `${dev}:${ino}`;
  if (seen.has(file)) return false;
  seen.add(file);
  return true;
}
