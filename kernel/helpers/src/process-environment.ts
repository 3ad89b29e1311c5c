import { closeSync, openSync, readSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { readProcessStatNow } from "./process-stat.ts";

/** Number of processes that are read before other work of the event loop gets a turn. */
const AT_ONCE = 100;
/** Large enough for nearly every environment. */
const USUAL_ENVIRONMENT_BYTES = 64 * 1024;
const CHANGE_STEP_MS = 2;
/** About 2 s, counted in reads, since on a busy machine neither process may get processor time. */
const MAX_IDLE_LOOKS = 1_000;
/** 2 s of processor time, in clock ticks. No exec takes as long. */
const MAX_CHANGE_TICKS = 200;
/** Fields of proc_pid_stat(5): state, minor and major faults, times, memory, start and end of the environment. */
const DOUBT_FIELDS = [3, 10, 12, 14, 15, 23, 50, 51];

/** Observations of a process that may be executing another program. */
interface Doubt {
  /** Changes while the process executes another program. */
  sign: string;
  /** Its processor time when this sign was first seen. */
  ticks: number;
  /** Number of reads without a change while the process was not waiting for the processor. */
  idle: number;
}

/**
 * Reads the environments of processes other than the caller, and reads those again that are executing another program, until
 * their environment is known. Waits for a process that waits for the processor, since its environment is unknown until then. A
 * process that is blocked in between for 2 s is skipped.
 */
export async function eachWithVariable(
  pids: readonly number[],
  variable: string,
  value: string | undefined,
  take: (pid: number) => void,
): Promise<void> {
  const needle = Buffer.from(
    value === undefined ? `${variable}=` : `${variable}=${value}\0`,
  );
  const readEnvironment = createEnvironmentReader();
  let doubts = new Map<number, Doubt | undefined>();
  for (const pid of pids) if (pid !== process.pid) doubts.set(pid, undefined);
  while (doubts.size > 0) {
    const left = new Map<number, Doubt>();
    let count = 0;
    for (const [pid, before] of doubts) {
      if ((count += 1) % AT_ONCE === 0) await new Promise(setImmediate);
      const environment = readEnvironment(pid);
      if (environment?.includes(needle)) take(pid);
      if (environment?.length !== 0) continue;
      const doubt = toDoubt(pid, before);
      if (doubt) left.set(pid, doubt);
    }
    doubts = left;
    if (doubts.size > 0) await sleep(CHANGE_STEP_MS);
  }
}

/**
 * Checks whether a process whose environment reads as empty is executing another program. `undefined` if there is nothing to wait
 * for: a process that has ended has no memory, and an environment that is really empty has a known address.
 */
function toDoubt(pid: number, before: Doubt | undefined): Doubt | undefined {
  const fields = readProcessStatNow(pid, DOUBT_FIELDS);
  if (!fields) return undefined;
  const [state, minor, major, user, system, memory, start, end] = fields;
  if (memory === "0" || (end !== "0" && start === end)) return undefined;
  const sign = [minor, major, memory, start, end].join(" ");
  const ticks = Number(user) + Number(system);
  if (before?.sign !== sign) return { sign, ticks, idle: 0 };
  const idle = state === "R" ? before.idle : before.idle + 1;
  const isHeldUp =
    idle >= MAX_IDLE_LOOKS || ticks - before.ticks >= MAX_CHANGE_TICKS;
  return isHeldUp ? undefined : { ...before, idle };
}

/**
 * Reads environments synchronously, since asynchronous reads of /proc take twenty times as long. A result is valid until the next
 * read.
 */
function createEnvironmentReader(): (pid: number) => Buffer | undefined {
  let space = Buffer.allocUnsafe(USUAL_ENVIRONMENT_BYTES);
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
