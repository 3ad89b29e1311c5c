import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Home } from "@gantry/system/home/home";

/** Folders of a plugin: for files in backups, for files of this machine, and for a cache. */
export const pluginFolders = (home: Home, id: string) => ({
  data: join(home.data, id),
  machine: join(home.machine, id),
  cache: join(home.cache, "plugins", id),
});

/** Creates a folder (mode 0700) if it does not exist, and returns its path. */
export async function ensurePrivateFolder(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}
