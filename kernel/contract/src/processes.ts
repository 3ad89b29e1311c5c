import { setTimeout as sleep } from "node:timers/promises";
import { eachWithVariable } from "./process-environment.ts";
import { lookUntilSure } from "./process-look.ts";
import type { ProcessMoment } from "./process-moment.ts";
import { readProcessStatNow } from "./process-stat.ts";

export { readProcessMoment } from "./process-moment.ts";
export type { ProcessMoment } from "./process-moment.ts";
export { readProcessStat, readProcessStatNow } from "./process-stat.ts";

/** So many processes are looked at before others get their turn. */
const AT_ONCE = 100;
/** A process that was killed takes a moment to be gone. */
const END_STEP_MS = 5;
/** About 5 s, counted in looks: on a machine with much to do it takes longer. */
const MAX_IDLE_LOOKS = 1_000;
/** Of proc_pid_stat(5). */
const STATE_FIELD = 3;
const SESSION_FIELD = 6;

type Take = (pid: number) => void;

/** Looks at processes, and takes those that are meant, never the caller itself. */
type Each = (pids: readonly number[], take: Take) => Promise<void>;

/**
 * Finds processes whose environment has a variable with this value, or with any if none is given, no matter whose children
 * they have become; never the caller itself. When it finds none, none was there, also none that had just started another
 * and ended. One that is just becoming another program has no environment yet, and is looked at again, unless it is held
 * up in between for 2 s. Finds none on a system without /proc, and none of another user.
 */
export function findMarkedProcesses(
  variable: string,
  value?: string,
): Promise<number[]> {
  return findEach((pids, take) =>
    eachWithVariable(pids, variable, value, take),
  );
}

/**
 * Processes of the session that a process leads or led, the leader included, that have not ended; never the caller itself.
 * When it finds none, none was there, also none that had just started another and ended. Finds none on a system without
 * /proc.
 */
export function findSessionProcesses(leader: number): Promise<number[]> {
  return findEach((pids, take) => eachOfSession(pids, leader, take));
}

/**
 * KILL to all processes that {@link findMarkedProcesses} finds, and to what they start meanwhile, for as long as that
 * takes. Resolves when none is left and all have ended; one that may not be killed, or does not go within 5 s since
 * the system holds it, is not waited for. Rejects never. Gives whether there was any.
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
  return await killEach(
    (pids, take) => eachWithVariable(pids, variable, value, take),
    known,
    since,
  );
}

/** As {@link killMarkedProcesses}, for what {@link findSessionProcesses} finds. */
export async function killSessionProcesses(leader: number): Promise<boolean> {
  return await killEach((pids, take) => eachOfSession(pids, leader, take));
}

async function findEach(each: Each): Promise<number[]> {
  const found: number[] = [];
  const isAny = () => found.length > 0;
  const look = async (pids: readonly number[]) => {
    await each(pids, (pid) => found.push(pid));
    return isAny();
  };
  await lookUntilSure(look, undefined, isAny);
  return found;
}

async function killEach(
  each: Each,
  known: readonly number[] = [],
  since?: ProcessMoment,
): Promise<boolean> {
  const ending = new Set<number>();
  const held = new Set<number>();
  const end = (pid: number) => void (kill(pid) ? ending : held).add(pid);
  for (const pid of known) end(pid);
  let isAny = known.length > 0;
  const look = async (pids: readonly number[]) => {
    let isFound = false;
    // Each at once: what keeps running makes it hard to look at the others.
    await each(pids, (pid) => {
      if (held.has(pid)) return;
      isAny = isFound = true;
      end(pid);
    });
    // One that gives back its memory has no mark any more, and still holds files and locks. And only what one that has
    // ended started is sure to be seen by the next look.
    await untilEnded(ending);
    for (const pid of ending) held.add(pid);
    ending.clear();
    return isFound;
  };
  await lookUntilSure(look, since);
  return isAny;
}

async function eachOfSession(
  pids: readonly number[],
  leader: number,
  take: Take,
): Promise<void> {
  // That of the kernel's own, and of what a container begins with.
  if (leader <= 0) return;
  for (const [at, pid] of pids.entries()) {
    if (at % AT_ONCE === AT_ONCE - 1) await new Promise(setImmediate);
    if (pid === process.pid) continue;
    const [state, session] =
      readProcessStatNow(pid, [STATE_FIELD, SESSION_FIELD]) ?? [];
    const isOfSession = pid === leader || Number(session) === leader;
    if (isOfSession && isLeft(state)) take(pid);
  }
}

/** Removes those that have ended, until none is left or nothing happens to those that are. */
async function untilEnded(pids: Set<number>): Promise<void> {
  for (let idle = 0; idle < MAX_IDLE_LOOKS;) {
    let isMoving = false;
    for (const pid of pids) {
      const [state] = readProcessStatNow(pid, [STATE_FIELD]) ?? [];
      if (!isLeft(state)) pids.delete(pid);
      isMoving ||= !isLeft(state) || state === "R";
    }
    if (pids.size === 0) return;
    idle = isMoving ? 0 : idle + 1;
    await sleep(END_STEP_MS);
  }
}

/** Whether a process in this state has not ended; one that was not reaped has. */
function isLeft(state: string | undefined): boolean {
  return state !== undefined && state !== "Z" && state !== "X";
}

/** Kills a process. Returns `false` if that is not permitted, so that no caller waits for its end. */
function kill(pid: number): boolean {
  try {
    return process.kill(pid, "SIGKILL");
  } catch (error) {
    // Otherwise it is gone already.
    return (error as { code?: string }).code !== "EPERM";
  }
}
