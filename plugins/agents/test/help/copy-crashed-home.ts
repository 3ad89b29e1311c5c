import { cp, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";

/** Copies what a kill of a daemon would leave at this moment. */
export async function copyCrashedHome(from: string, to: string): Promise<void> {
  await mkdir(to);
  for (const name of ["store.sqlite", "store.sqlite-wal", "data"])
    await cp(join(from, name), join(to, name), {
      recursive: true,
      force: true,
    }).catch(() => undefined);
  // The process that holds them is this one, and lives on.
  await rm(join(to, "data", "agents", "locks"), {
    recursive: true,
    force: true,
  });
}
