import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { readProcessStat } from "@gantry/plugin/processes";

/** Of proc_pid_stat(5). */
const STATE_FIELD = 3;
const START_TIME_FIELD = 22;
const MAX_PS_MS = 5_000;

/** Names one process permanently: its number alone may have been given to another one since. */
export interface ProcessIdentity {
  pid: number;
  startTime: string | undefined;
  bootId: string | undefined;
}

/** Reads who a process is. */
export async function identify(pid: number): Promise<ProcessIdentity> {
  return { pid, startTime: await startTimeOf(pid), bootId: await bootId() };
}

/**
 * Whether a process still exists.
 *
 * @param alsoEnded Whether one that has ended and was not reaped counts: others of its group may still run.
 */
export async function isSame(
  { pid, startTime, bootId: boot }: Partial<ProcessIdentity>,
  alsoEnded = false,
): Promise<boolean> {
  // After a restart of the machine every number belongs to another process.
  if (pid === undefined || startTime === undefined || boot !== (await bootId()))
    return false;
  return (await startTimeOf(pid, alsoEnded)) === startTime;
}

/**
 * When a process started, in the system's own unit. `undefined` if it is gone or, unless `alsoEnded`, waits to be reaped.
 * Without /proc it comes from `ps`, which takes some 10 ms.
 */
export async function startTimeOf(
  pid: number,
  alsoEnded = false,
): Promise<string | undefined> {
  if (process.platform !== "linux") return startTimeFromPs(pid);
  const fields = [STATE_FIELD, START_TIME_FIELD];
  const [state = "X", startTime] = (await readProcessStat(pid, fields)) ?? [];
  return !alsoEnded && /[ZX]/.test(state) ? undefined : startTime;
}

/** In the words of `ps`. `undefined` for a process that is gone or has ended, and on a system without `ps`. */
export async function startTimeFromPs(
  pid: number,
): Promise<string | undefined> {
  const { stdout } = await promisify(execFile)(
    "/bin/ps",
    ["-p", String(pid), "-o", "stat=,lstart="],
    // `ps` prints the start as text, which depends on locale and time zone.
    { env: { LC_ALL: "C", TZ: "UTC" }, timeout: MAX_PS_MS },
  ).catch(() => ({ stdout: "" }));
  return /^\s*[^Z\s]\S*\s+(\S.*?)\s*$/.exec(stdout)?.[1];
}

/** Id of this boot of the machine, `undefined` where the system has none. */
export async function bootId(): Promise<string | undefined> {
  return readFile("/proc/sys/kernel/random/boot_id", "utf8").then(
    (text) => text.trim(),
    () => undefined,
  );
}
