import { copyFile, mkdtemp, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * A home as it would be found if the daemon were killed at this moment: what its store has on disk.
 *
 * @param home Home of a daemon that runs.
 */
export async function takeCrashImage(home: string): Promise<string> {
  const image = await mkdtemp(join(tmpdir(), "gantry-image-"));
  for (const name of await readdir(home))
    if (name.startsWith("store.sqlite"))
      await copyFile(join(home, name), join(image, name));
  return image;
}
