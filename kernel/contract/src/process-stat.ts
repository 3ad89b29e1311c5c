import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";

/**
 * What the system reports about a process: these fields of proc_pid_stat(5), by their numbers from 2 on, which is its name.
 * `undefined` if it is gone, or on a system without /proc.
 */
export async function readProcessStat(
  pid: number,
  fields: readonly number[],
): Promise<string[] | undefined> {
  const stat = await readFile(pathOf(pid), "utf8").catch(() => undefined);
  return stat === undefined ? undefined : pick(stat, fields);
}

/** As {@link readProcessStat}, without waiting, which takes a small part of the time where much else runs. */
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

const pathOf = (pid: number) => `/proc/${pid}/stat`;

function pick(stat: string, fields: readonly number[]): string[] {
  // The second field is the program's name in parentheses and may hold anything.
  const nameEnd = stat.lastIndexOf(")");
  const name = stat.slice(stat.indexOf("(") + 1, nameEnd);
  const values = [name, ...stat.slice(nameEnd + 2).split(" ")];
  return fields.map((field) => values[field - 2] ?? "");
}
