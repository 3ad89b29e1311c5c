import { mkdir, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { flush } from "@gantry/plugin/files";
import { statIfThere } from "@gantry/system/home/if-there";

/** Whether there is anything under a path, also a broken link. */
export async function isThere(path: string): Promise<boolean> {
  return (await statIfThere(path)) !== undefined;
}

/** Renames something into another folder, which is made if there is none, and brings that to the disk. */
export async function moveDurably(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  await rename(from, to);
  await flush(dirname(to));
  await flush(dirname(from));
}
