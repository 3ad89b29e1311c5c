import { readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";

/** Polls until a value is truthy. Rejects after a timeout (ms) that no healthy run reaches. */
export async function until<Result>(
  look: () => Promise<Result | undefined | false> | Result | undefined | false,
  what: string,
  maxMs = 60_000,
): Promise<Result> {
  const end = performance.now() + maxMs;
  for (;;) {
    const result = await look();
    if (result) return result;
    if (performance.now() > end) throw new Error(`It did not happen: ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Whether a process exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Whether a process exists and is not a zombie. */
export async function isRunning(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  const state = stat.slice(stat.lastIndexOf(")") + 2)[0];
  return state !== undefined && state !== "Z" && state !== "X";
}

/** Processes whose working directory is a folder. */
export async function processesIn(folder: string): Promise<number[]> {
  const found: number[] = [];
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const cwd = await readlink(`/proc/${name}/cwd`).catch(() => "");
    if (cwd === folder) found.push(Number(name));
  }
  return found;
}

/** Whether a file below a folder contains a text. */
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
