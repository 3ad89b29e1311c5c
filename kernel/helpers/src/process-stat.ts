import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";

/**
 * Reads fields of proc_pid_stat(5) of a process, by their numbers from 3 on. `undefined` if there is no such process, or on a system
 * without /proc.
 */
export async function readProcessStat(
  pid: number,
  fields: readonly number[],
): Promise<string[] | undefined> {
  const stat = await readFile(pathOf(pid), "utf8").catch(() => undefined);
  return stat === undefined ? undefined : pick(stat, fields);
}

/** Synchronous {@link readProcessStat}, which takes a fraction of the time on a busy machine. */
export function readProcessStatNow(
  pid: number,
  fields: readonly number[],
): string[] | undefined {
  try {
    return pick(readFileSync(pathOf(pid), "utf8"), fields);
  } catch {
    return undefined;
  }
}

/** Checks whether an id is that of a thread other than the main thread of its process; /proc has entries for these too. */
export function isThread(pid: number): boolean {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/^Tgid:\t(\d+)$/m.exec(status)?.[1]) !== pid;
  } catch {
    return false;
  }
}

const pathOf = (pid: number) => `/proc/${pid}/stat`;

function pick(stat: string, fields: readonly number[]): string[] {
  // The second field is the program's name in parentheses and may contain anything.
  const values = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields.map((field) => values[field - 3] ?? "");
}
