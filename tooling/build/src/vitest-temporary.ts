import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";

const MEMORY = "/dev/shm";
/** Where a daemon that is root keeps the profiles of its browser. */
const PROFILES = "/var/lib";
const ROOM_BYTES = 2 * 1024 ** 3;
const NAME = /^gantry-run-(\d+)$/;

/**
 * A place for temporary folders where a write that has to be on disk does not wait for one: tests kill processes, never
 * the machine. `undefined` where there is none, or a small one, or one that programs cannot run from.
 */
function findMemoryFolder(): string | undefined {
  try {
    const options = readFileSync("/proc/mounts", "utf8")
      .split("\n")
      .map((line) => line.split(" "))
      .find(([, place]) => place === MEMORY)?.[3]
      ?.split(",");
    const { bavail, bsize } = statfsSync(MEMORY);
    const isUsable =
      options?.includes("rw") &&
      !options.includes("noexec") &&
      bavail * bsize > ROOM_BYTES;
    return isUsable ? MEMORY : undefined;
  } catch {
    return undefined;
  }
}

/** The temporary folder of the tests of this run, which is removed when it is over; `undefined` for the system's own. */
export function chooseTemporaryFolder(): string | undefined {
  const memory = findMemoryFolder();
  return memory && join(memory, `gantry-run-${process.pid}`);
}

/**
 * Makes the folder for all that the tests of this run put into the temporary folder, and takes it away with what they left
 * when the run is over. What killed runs left goes with the next run.
 */
export default function setup({
  config,
}: {
  config: { env: { TMPDIR?: string } };
}): () => void {
  const folder = config.env.TMPDIR;
  if (folder === undefined) return () => undefined;
  const place = dirname(folder);
  for (const name of readdirSync(place)) {
    const pid = Number(NAME.exec(name)?.[1]);
    if (!(pid > 0) || isAlive(pid)) continue;
    remove(join(place, name));
    removeProfiles(join(place, name));
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return () => {
    const left = readdirSync(folder);
    if (left.length > 0)
      console.warn(`Left in ${basename(folder)} by tests: ${left.join(", ")}`);
    remove(folder);
    removeProfiles(folder);
  };
}

/**
 * Removes browser profiles of homes in the folder of a run: those of a daemon that is root are outside of its home, each with
 * a file that names it.
 */
function removeProfiles(runFolder: string): void {
  const names = existsSync(PROFILES) ? readdirSync(PROFILES) : [];
  for (const name of names.filter((one) => one.startsWith("gantry-"))) {
    const profiles = join(PROFILES, name);
    try {
      const home = readFileSync(join(profiles, "home"), "utf8");
      if (home.startsWith(`${runFolder}/`)) remove(profiles);
    } catch {
      // Without that file it is not one of ours.
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** Two runs may find the same one, and a process that a test left may still write. */
function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // The next run tries again.
  }
}
