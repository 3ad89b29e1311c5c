import { lstat, mkdir, open, rename } from "node:fs/promises";
import { dirname } from "node:path";

/** Whether there is anything under a path, also a link that leads nowhere. */
export async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === "ENOENT" || code === "ENOTDIR") return false;
    throw error;
  }
}

/** Brings a file, or the list of what is in a folder, to the disk. */
export async function flushPath(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } catch (error) {
    // Some file systems flush no folders.
    if ((error as { code?: string }).code !== "EINVAL") throw error;
  } finally {
    await handle.close();
  }
}

/** Renames something into another folder, which is made if there is none, and brings that to the disk. */
export async function moveDurably(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  await rename(from, to);
  await flushPath(dirname(to));
  await flushPath(dirname(from));
}
