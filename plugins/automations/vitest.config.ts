import { existsSync, statfsSync } from "node:fs";
import { mergeConfig } from "vitest/config";
import shared from "@gantry/build/vitest";

/** A folder in memory, where a write that has to be on disk does not wait for one: no test ends the machine. */
const MEMORY = "/dev/shm";
const ROOM_BYTES = 1024 ** 3;

function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize > ROOM_BYTES;
}

export default mergeConfig(shared, {
  test: {
    // Modules here hold no state, so that files need no process each.
    isolate: false,
    // The browser leaves time to the others while it is waited for.
    maxWorkers: 2,
    env: hasRoom(MEMORY) ? { TMPDIR: MEMORY } : {},
  },
});
