import { lstat, mkdir, open, rename } from "node:fs/promises";
import { dirname } from "node:path";

/** Whether anything exists at a path, including a dangling link. */
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

/** Flushes a file, or the entries of a folder, to disk. */
export async function flushPath(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } catch (error) {
    // Some file systems cannot flush folders.
    if ((error as { code?: string }).code !== "EINVAL") throw error;
  } finally {
    await handle.close();
  }
}

/** Renames something into another folder, which is created if missing, and flushes the change to disk. */
export async function moveDurably(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  await rename(from, to);
  await flushPath(dirname(to));
  await flushPath(dirname(from));
}
