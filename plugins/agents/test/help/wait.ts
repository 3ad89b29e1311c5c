import { readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import { WAIT_MS } from "@gantry/build/testing";

/** Waits until something is so, looking again and again. Rejects after a time that no healthy run needs. */
export async function until<Result>(
  look: () => Promise<Result | undefined | false> | Result | undefined | false,
  what: string,
): Promise<Result> {
  const end = performance.now() + WAIT_MS;
  for (;;) {
    const result = await look();
    if (result) return result;
    if (performance.now() > end) throw new Error(`It did not happen: ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Tells whether a process is alive. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Tells whether a process is alive and is not only waiting to be buried. */
export async function isRunning(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  const state = stat.slice(stat.lastIndexOf(")") + 2)[0];
  return state !== undefined && state !== "Z" && state !== "X";
}

/** Processes that work in a folder. */
export async function processesIn(folder: string): Promise<number[]> {
  const found: number[] = [];
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const cwd = await readlink(`/proc/${name}/cwd`).catch(() => "");
    if (cwd === folder) found.push(Number(name));
  }
  return found;
}

/** Tells whether a file below a folder has these words. */
export async function mentions(
  folder: string,
  words: string,
): Promise<boolean> {
  const files = await readdir(folder, { recursive: true }).catch(() => []);
  for (const name of files) {
    const text = await readFile(join(folder, name), "utf8").catch(() => "");
    if (text.includes(words)) return true;
  }
  return false;
}
