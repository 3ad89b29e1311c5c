import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * A home as it would be found if the daemon were killed at this moment: what its store has on disk, and the files of its
 * plugins. It is taken without a pause, so that nothing is written meanwhile.
 *
 * @param home Home of a daemon that runs.
 */
export function takeCrashImage(home: string): string {
  const image = mkdtempSync(join(tmpdir(), "gantry-image-"));
  for (const name of readdirSync(home))
    if (name.startsWith("store.sqlite"))
      copyFileSync(join(home, name), join(image, name));
  const data = join(home, "data");
  if (existsSync(data)) cpSync(data, join(image, "data"), { recursive: true });
  return image;
}
