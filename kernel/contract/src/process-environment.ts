import { closeSync, openSync, readSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { readProcessStatNow } from "./process-stat.ts";

/** So many processes are looked at before others get their turn. */
const AT_ONCE = 100;
/** What nearly every environment fits in. */
const USUAL_ENVIRONMENT_BYTES = 64 * 1024;
const CHANGE_STEP_MS = 2;
/** About 2 s, counted in looks: on a machine with much to do neither side gets its time. */
const MAX_IDLE_LOOKS = 1_000;
/** 2 s of the processor, in the ticks of the system. No change of programs takes as much. */
const MAX_CHANGE_TICKS = 200;
/** Of proc_pid_stat(5): state; minor and major faults; times; memory; begin and end of the environment. */
const DOUBT_FIELDS = [3, 10, 12, 14, 15, 23, 50, 51];

/** What was seen of a process that may be becoming another program. */
interface Doubt {
  /** Changes while it becomes another program. */
  sign: string;
  /** What it had of the processor when the sign was first seen. */
  ticks: number;
  /** Looks at which nothing had changed although it did not wait for the processor. */
  idle: number;
}

/**
 * Looks at the environments of processes, and again at those that are between two programs, until it is known what they
 * have; never the caller itself. A process that waits for the processor is waited for: what it has cannot be told before.
 * One that is held up in between for 2 s is left out.
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
 * Why nothing is known about a process whose environment read as empty: it is becoming another program, or just became
 * it. `undefined` if there is nothing to wait for: one that has ended has no memory, and where an environment is really
 * empty its place is known.
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
 * Reads environments one after the other, without waiting: the kernel has them at hand, and to ask for each in the
 * background takes twenty times as long. What was read is good until the next one is.
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
