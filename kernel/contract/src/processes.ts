import { closeSync, openSync, readSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { readProcessMoment, startedBetween } from "./process-moment.ts";
import type { ProcessMoment } from "./process-moment.ts";

export { readProcessMoment } from "./process-moment.ts";
export type { ProcessMoment } from "./process-moment.ts";

/** So many processes are looked at before others get their turn. */
const AT_ONCE = 100;
/** What nearly every environment fits in. */
const USUAL_ENVIRONMENT_BYTES = 64 * 1024;
/** A process becomes another program in less than a millisecond, and on a machine with much to do in hundreds. */
const MAX_CHANGE_MS = 2_000;
const CHANGE_STEP_MS = 2;
/** A process that was killed takes a moment to be gone. */
const MAX_END_MS = 5_000;
const END_STEP_MS = 5;
/** Of proc_pid_stat(5). */
const STATE_FIELD = 3;
const SESSION_FIELD = 6;

/**
 * Finds processes whose environment has a variable with this value, or with any if none is given, whoever's children
 * they have become; never the caller itself. One that is just becoming another program has no environment yet, and is
 * looked at again for 2 s at the longest. Finds none on a system without /proc, and none of another user.
 */
export async function findMarkedProcesses(
  variable: string,
  value?: string,
): Promise<number[]> {
  const found: number[] = [];
  await eachMarked(variable, value, (pid) => found.push(pid));
  return found;
}

/**
 * KILL to all processes that {@link findMarkedProcesses} finds, and to what they start meanwhile. Resolves when none is
 * left and all have ended, or after 5 s if one does not go; rejects never. Gives whether there was any.
 *
 * @param known Processes that are of it, marked or not.
 * @param since A moment before the first of them was started. To look only at what was started later takes a small part
 *   of the time on a system with many processes.
 */
export async function killMarkedProcesses(
  variable: string,
  value: string,
  known: readonly number[] = [],
  since?: ProcessMoment,
): Promise<boolean> {
  const deadline = performance.now() + MAX_END_MS;
  const isTime = () => performance.now() < deadline;
  const ending = new Set(known);
  for (const pid of known) kill(pid);
  let isAny = known.length > 0;
  for (;;) {
    let isLeft = false;
    // Each at once: what goes on running makes it hard to look at the others.
    const take = (pid: number) => {
      isAny = isLeft = true;
      ending.add(pid);
      kill(pid);
    };
    await eachMarked(
      variable,
      value,
      take,
      startedBetween(since, since && readProcessMoment()),
    );
    // One that gives back its memory has no mark any more, and still holds files and locks.
    while ((await forgetEnded(ending)) > 0 && isTime())
      await sleep(END_STEP_MS);
    if (!isLeft || !isTime()) return isAny;
  }
}

/** Removes those that have ended, and gives how many are left. */
async function forgetEnded(pids: Set<number>): Promise<number> {
  for (const pid of pids) {
    const [state = "X"] = (await readProcessStat(pid, [3])) ?? [];
    if (state === "Z" || state === "X") pids.delete(pid);
  }
  return pids.size;
}

/** Looks at all processes, and again at those that are between two programs. */
async function eachMarked(
  variable: string,
  value: string | undefined,
  take: (pid: number) => void,
  isCandidate: (pid: number) => boolean = () => true,
): Promise<void> {
  const needle = Buffer.from(
    value === undefined ? `${variable}=` : `${variable}=${value}\0`,
  );
  const readEnvironment = createEnvironmentReader();

  /** Gives those of which nothing could be told. */
  async function look(pids: readonly number[]): Promise<number[]> {
    const unsure: number[] = [];
    for (const [at, pid] of pids.entries()) {
      if (at % AT_ONCE === AT_ONCE - 1) await new Promise(setImmediate);
      const environment = readEnvironment(pid);
      if (environment?.includes(needle)) take(pid);
      else if (environment?.length === 0 && (await isBetweenPrograms(pid)))
        unsure.push(pid);
    }
    return unsure;
  }

  const names = await readdir("/proc").catch(() => []);
  let unsure = await look(
    names
      .map(Number)
      .filter((pid) => pid > 0 && pid !== process.pid && isCandidate(pid)),
  );
  // From here on: on a machine with much to do, to look at all of them takes longer.
  const deadline = performance.now() + MAX_CHANGE_MS;
  while (unsure.length > 0 && performance.now() < deadline) {
    await sleep(CHANGE_STEP_MS);
    unsure = await look(unsure);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Gone already.
  }
}

/**
 * What the system tells of a process: these fields of proc_pid_stat(5), by their numbers from 3 on. `undefined` if it is
 * gone, or on a system without /proc.
 */
export async function readProcessStat(
  pid: number,
  fields: readonly number[],
): Promise<string[] | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(
    () => undefined,
  );
  // The second field is the program's name in parentheses and may hold anything.
  const values = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  return values && fields.map((field) => values[field - 3] ?? "");
}

/**
 * Processes of the session that a process leads or led, the leader included, that have not ended. Finds none on a system
 * without /proc.
 */
export async function findSessionProcesses(leader: number): Promise<number[]> {
  const names = await readdir("/proc").catch(() => []);
  const pids = names.map(Number).filter((pid) => pid > 0);
  const found: number[] = [];
  for (let at = 0; at < pids.length; at += AT_ONCE) {
    const some = pids.slice(at, at + AT_ONCE);
    const stats = await Promise.all(
      some.map((pid) => readProcessStat(pid, [STATE_FIELD, SESSION_FIELD])),
    );
    for (const [index, pid] of some.entries()) {
      const [state = "X", session] = stats[index] ?? [];
      const isLeft = state !== "Z" && state !== "X";
      if (isLeft && (pid === leader || Number(session) === leader))
        found.push(pid);
    }
  }
  return found;
}

/**
 * Whether a process whose environment read as empty is becoming another program, or just became it. One that has ended
 * has no memory, and where an environment is really empty its place is known.
 */
async function isBetweenPrograms(pid: number): Promise<boolean> {
  const [memory, start, end] = (await readProcessStat(pid, [23, 50, 51])) ?? [];
  return (
    memory !== undefined && memory !== "0" && (end === "0" || start !== end)
  );
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
