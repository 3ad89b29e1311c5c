import { closeSync, openSync, readSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";

/** So many processes are looked at before others get their turn. */
const AT_ONCE = 100;
/** What nearly every environment fits in. */
const USUAL_ENVIRONMENT = 64 * 1024;

/**
 * When a process started, in the system's own unit: with its number, this names one process for good.
 * `undefined` if it is gone, or on a system without /proc.
 */
export async function startTimeOf(pid: number): Promise<string | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8");
    // The second field is the program's name in parentheses and may hold anything; field 22 counts from behind it.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}

/** Id of this boot of the machine, `undefined` where the system has none. */
export async function bootId(): Promise<string | undefined> {
  return readFile("/proc/sys/kernel/random/boot_id", "utf8").then(
    (text) => text.trim(),
    () => undefined,
  );
}

/** Numbers of our own user's processes whose environment has a variable with this value. */
export async function processesMarkedWith(
  variable: string,
  value: string,
): Promise<number[]> {
  const needle = Buffer.from(`${variable}=${value}\0`);
  const names = await readdir("/proc").catch(() => []);
  const readEnvironment = createEnvironmentReader();
  const found: number[] = [];
  let looked = 0;
  for (const name of names) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    if (++looked % AT_ONCE === 0) await new Promise(setImmediate);
    if (readEnvironment(name)?.includes(needle)) found.push(Number(name));
  }
  return found;
}

/**
 * Reads environments one after the other, without waiting: the kernel has them at hand, and to ask for each in the
 * background takes twenty times as long. What was read is good until the next one is.
 */
function createEnvironmentReader(): (pid: string) => Buffer | undefined {
  let space = Buffer.allocUnsafe(USUAL_ENVIRONMENT);
  return (pid) => {
    let file: number | undefined;
    try {
      file = openSync(`/proc/${pid}/environ`, "r");
      for (let end = 0; ;) {
        const count = readSync(file, space, end, space.length - end, null);
        end += count;
        if (count === 0) return space.subarray(0, end);
        if (end === space.length) space = Buffer.concat([space], end * 2);
      }
    } catch {
      // Processes of other users, and those that just ended, cannot be read.
      return undefined;
    } finally {
      if (file !== undefined) closeSync(file);
    }
  };
}
