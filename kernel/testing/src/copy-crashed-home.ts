import { copyFileSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";

/**
 * Copies what a kill of the daemon would leave of its home at this moment: what its store has on disk, and the files of
 * its plugins. Nothing of this thread runs meanwhile, so that the store and the files are of one moment.
 *
 * @param home Home of a daemon that runs in this process.
 * @param to Folder for the copy, made if it is not there. Start the next kernel with it as its `home`.
 */
export function copyCrashedHome(home: string, to: string): void {
  mkdirSync(to, { recursive: true });
  // What else the store has on disk, the next daemon makes again.
  for (const name of ["store.sqlite", "store.sqlite-wal"])
    ifThere(() => copyFileSync(join(home, name), join(to, name)));
  copyFolder(join(home, "data"), join(to, "data"));
}

/** Copies files and folders alone: sockets and pipes are nothing without the process that has them. */
function copyFolder(from: string, to: string): void {
  for (const entry of ifThere(() =>
    readdirSync(from, { withFileTypes: true }),
  ) ?? []) {
    mkdirSync(to, { recursive: true });
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copyFolder(source, target);
    // What other threads write, move or remove at this moment is there or not, as after a kill.
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
