import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Log } from "@gantry/plugin";
import { removeLeftDrafts } from "@gantry/plugin/files";
import type { Home } from "./home.ts";

/**
 * Removes what daemons that were killed left of files that they were writing, where the kernel and plugins write them: in the home
 * and in the folders in `cache` and `data`. Never rejects: what cannot be removed is logged, and the next start tries again.
 */
export async function removeDrafts(
  { folder, processes, cache, data }: Home,
  log: Log,
): Promise<void> {
  const folders = [folder, join(processes, "detached")];
  for (const parent of [cache, data])
    for (const entry of await readdir(parent, { withFileTypes: true }))
      if (entry.isDirectory()) folders.push(join(parent, entry.name));
  for (const each of folders)
    try {
      const removed = await removeLeftDrafts(each);
      if (removed > 0)
        log.info("Unfinished files removed", { folder: each, count: removed });
    } catch (error) {
      log.warn("Unfinished files not removed", {
        folder: each,
        reason: String(error),
      });
    }
}
