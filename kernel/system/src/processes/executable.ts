import { access, constants, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";

const WORLD_WRITABLE = 0o002;

/**
 * Absolute path of a program. Relative and world-writable folders of PATH are skipped: any user could have put a
 * program there.
 */
export async function findExecutable(
  name: string,
  path: string,
): Promise<string | undefined> {
  if (name.includes("/") || name.includes("\\") || name.includes("\0"))
    return undefined;
  for (const folder of path.split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    const isShared = await stat(folder).then(
      (stats) =>
        process.platform !== "win32" && (stats.mode & WORLD_WRITABLE) !== 0,
      () => true,
    );
    if (isShared) continue;
    const file = join(folder, name);
    if (await isExecutable(file)) return file;
  }
  return undefined;
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
