import { copyFileSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";

/**
 * Copies a home as a kill of the daemon at this moment would leave it: the data that its store has on disk, and the
 * files of its plugins. Synchronous, so that the store and the files are of the same moment.
 *
 * @param home Home of a daemon that runs in this process.
 * @param to Folder for the copy, created if missing. Start the next kernel with it as its `home`.
 */
export function copyCrashedHome(home: string, to: string): void {
  mkdirSync(to, { recursive: true });
  // The next daemon recreates the store's other files.
  for (const name of ["store.sqlite", "store.sqlite-wal"])
    ifThere(() => copyFileSync(join(home, name), join(to, name)));
  copyFolder(join(home, "data"), join(to, "data"));
}

/** Copies files and folders only: sockets and pipes are useless without their process. */
function copyFolder(from: string, to: string): void {
  for (const entry of ifThere(() =>
    readdirSync(from, { withFileTypes: true }),
  ) ?? []) {
    mkdirSync(to, { recursive: true });
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copyFolder(source, target);
    // Files that other threads are writing, moving or removing may be missing, as after a kill.
    else if (entry.isFile()) ifThere(() => copyFileSync(source, target));
  }
}

function ifThere<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
