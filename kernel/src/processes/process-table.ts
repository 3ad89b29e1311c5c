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
  return (await readStat(pid))?.[22 - 3];
}

/** What the system tells of a process, from field 3 on. */
async function readStat(pid: number | string): Promise<string[] | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(
    () => undefined,
  );
  // The second field is the program's name in parentheses and may hold anything.
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** Id of this boot of the machine, `undefined` where the system has none. */
export async function bootId(): Promise<string | undefined> {
  return readFile("/proc/sys/kernel/random/boot_id", "utf8").then(
    (text) => text.trim(),
    () => undefined,
  );
}

/** Processes with a mark, as far as they could be seen. */
export interface MarkedProcesses {
  pids: number[];
  /** A process was just about to become another program, and nobody can tell its environment meanwhile. */
  isUnsure: boolean;
}

/** Finds our own user's processes whose environment has a variable with this value. */
export async function findMarked(
  variable: string,
  value: string,
): Promise<MarkedProcesses> {
  const needle = Buffer.from(`${variable}=${value}\0`);
  const names = await readdir("/proc").catch(() => []);
  const readEnvironment = createEnvironmentReader();
  const found: MarkedProcesses = { pids: [], isUnsure: false };
  let looked = 0;
  for (const name of names) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    if (++looked % AT_ONCE === 0) await new Promise(setImmediate);
    const environment = readEnvironment(name);
    if (environment?.includes(needle)) found.pids.push(Number(name));
    else if (environment?.length === 0)
      found.isUnsure ||= await isBetweenPrograms(name);
  }
  return found;
}

/**
 * Whether a process whose environment read as empty is becoming another program, or just became it. One that has ended
 * has no memory, and where an environment is really empty its place is known: proc_pid_stat(5), fields 23, 50 and 51.
 */
async function isBetweenPrograms(pid: string): Promise<boolean> {
  const fields = await readStat(pid);
  if (!fields) return false;
  const [memory, start, end] = [23, 50, 51].map((field) => fields[field - 3]);
  return memory !== "0" && (end === "0" || start !== end);
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
