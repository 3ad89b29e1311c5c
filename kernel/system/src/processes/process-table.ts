import { readFile } from "node:fs/promises";
import { readProcessStat } from "@gantry/plugin-helpers/processes";

const START_TIME_FIELD = 22;

/**
 * Start time of a process in the system's own unit: together with its id it identifies one process permanently.
 * `undefined` if it has ended, or on a system without /proc.
 */
export async function startTimeOf(pid: number): Promise<string | undefined> {
  return (await readProcessStat(pid, [START_TIME_FIELD]))?.[0];
}

/** Id of the machine's current boot, `undefined` where the system has none. */
export async function bootId(): Promise<string | undefined> {
  return readFile("/proc/sys/kernel/random/boot_id", "utf8").then(
    (text) => text.trim(),
    () => undefined,
  );
}
