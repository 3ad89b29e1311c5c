import { realpath } from "node:fs/promises";
import { join, sep } from "node:path";

/**
 * Resolves a path below a folder, following every link. `undefined` if nothing exists there, or if the result is not
 * inside the folder: the real path decides, not its spelling.
 */
export async function resolveInside(
  folder: string,
  path: string,
): Promise<string | undefined> {
  // No path contains NUL, and some calls would cut the path there.
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
