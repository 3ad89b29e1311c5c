import { realpath } from "node:fs/promises";
import { join, sep } from "node:path";

/**
 * The file that a path below a folder leads to, with every link followed. `undefined` if that is nothing, or anything
 * but a part of the folder: what counts is where it leads, not how it is written.
 */
export async function resolveInside(
  folder: string,
  path: string,
): Promise<string | undefined> {
  // No path of a system has one, and some calls would end there.
  if (path.includes("\0")) return undefined;
  try {
    const [root, file] = await Promise.all([
      realpath(folder),
      realpath(join(folder, path)),
    ]);
    return file.startsWith(root + sep) ? file : undefined;
  } catch {
    return undefined;
  }
}
