import { chmod, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

/** Removes a folder, also with folders in it in which nothing may be changed: a cache of Go modules consists of them. */
export async function removeFolder(folder: string): Promise<void> {
  const remove = () => rm(folder, { recursive: true, force: true });
  await remove().catch(async () => {
    await openFolders(folder);
    await remove();
  });
}

async function openFolders(folder: string): Promise<void> {
  await chmod(folder, 0o700);
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await openFolders(join(folder, entry.name));
}
