import { lstat, mkdir, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { flush } from "@gantry/plugin/files";

/** Whether there is anything under a path, also a broken link. */
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

/** Renames something into another folder, which is made if there is none, and brings that to the disk. */
export async function moveDurably(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  await rename(from, to);
  await flush(dirname(to));
  await flush(dirname(from));
}
