import { readFile } from "node:fs/promises";
import { readProcessStat } from "@gantry/plugin/processes";

const START_TIME_FIELD = 22;

/**
 * When a process started, in the system's own unit: with its number, this names one process permanently.
 * `undefined` if it is gone, or on a system without /proc.
 */
export async function startTimeOf(pid: number): Promise<string | undefined> {
  return (await readProcessStat(pid, [START_TIME_FIELD]))?.[0];
}

/** Id of this boot of the machine, `undefined` where the system has none. */
export async function bootId(): Promise<string | undefined> {
  return readFile("/proc/sys/kernel/random/boot_id", "utf8").then(
    (text) => text.trim(),
    () => undefined,
  );
}
