import { readdir, readFile } from "node:fs/promises";

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
  const found: number[] = [];
  for (const name of names) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    // Processes of other users, and those that just ended, cannot be read.
    const environment = await readFile(`/proc/${name}/environ`).catch(
      () => undefined,
    );
    if (environment?.includes(needle)) found.push(Number(name));
  }
  return found;
}
