import { readFileSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { mergeConfig } from "vitest/config";
import shared from "@gantry/build/vitest";

const GIBIBYTE = 1024 ** 3;

/**
 * A place for the homes of test daemons where a write that has to be on disk does not wait for one: these tests kill
 * processes, never the machine. `undefined` where there is none, or a small one, or one that programs cannot run from.
 */
function findMemoryFolder(): string | undefined {
  const folder = "/dev/shm";
  try {
    const mounts = readFileSync("/proc/mounts", "utf8").split("\n");
    const options = mounts
      .map((line) => line.split(" "))
      .find(([, place]) => place === folder)?.[3];
    const { bavail, bsize } = statfsSync(folder);
    const isUsable =
      options?.split(",").includes("rw") &&
      !options.split(",").includes("noexec") &&
      bavail * bsize > 2 * GIBIBYTE;
    return isUsable ? folder : undefined;
  } catch {
    return undefined;
  }
}

const memory = findMemoryFolder();

// The tests under test/agents install real agent CLIs; they have a configuration and a script of their own.
export default mergeConfig(shared, {
  test: {
    exclude: ["test/agents/**"],
    testTimeout: 20_000,
    // Modules here hold no state, so that files need no process each.
    isolate: false,
    // Most of the time is spent waiting for agents, so that one file at a time would leave the machine idle.
    maxWorkers: 2,
    env: {
      // Hundreds of agents are started, all from the same few sources.
      NODE_COMPILE_CACHE: join(
        import.meta.dirname,
        "node_modules/.cache/node-compile",
      ),
      ...(memory ? { TMPDIR: memory } : {}),
    },
  },
});
