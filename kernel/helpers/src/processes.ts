import { setTimeout as sleep } from "node:timers/promises";
import { eachWithVariable } from "./process-environment.ts";
import { lookUntilSure } from "./process-look.ts";
import type { ProcessMoment } from "./process-moment.ts";
import { isThread, readProcessStatNow } from "./process-stat.ts";

export { readProcessMoment } from "./process-moment.ts";
export type { ProcessMoment } from "./process-moment.ts";
export { readProcessStat } from "./process-stat.ts";

/** Number of processes that are read before other work of the event loop gets a turn. */
const AT_ONCE = 100;
/** A killed process takes a moment to end. */
const END_STEP_MS = 5;
/** About 5 s, counted in reads, so that a busy machine gets more time. */
const MAX_IDLE_LOOKS = 1_000;
/** Fields of proc_pid_stat(5). */
const STATE_FIELD = 3;
const SESSION_FIELD = 6;

type Take = (pid: number) => void;

/** Calls `take` for each process that matches, never for the caller itself. */
type Each = (pids: readonly number[], take: Take) => Promise<void>;

/**
 * Finds processes whose environment has a variable with this value, or with any value if none is given, regardless of their
 * parent; never the caller itself. An empty result means that there was none, even if such processes keep starting successors
 * and exiting. A process that is executing another program is read again, unless it is blocked for 2 s. Finds no processes of
 * other users, and none on a system without /proc.
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
 * Finds the processes of a session by its leader, including the leader, that have not ended; never the caller itself. An empty
 * result means that there was none, even if such processes keep starting successors and exiting. Finds none on a system without
 * /proc.
 */
export function findSessionProcesses(leader: number): Promise<number[]> {
  return findEach((pids, take) => eachOfSession(pids, leader, take));
}

/**
 * Sends KILL to all processes that {@link findMarkedProcesses} finds, and to those that they start meanwhile. Resolves when all have
 * ended, with whether there were any. A process that the system keeps for more than 5 s is not waited for. Never rejects.
 *
 * @param known Ids of further processes to kill, marked or not.
 * @param since A moment before the first of them was started. Limits the search to later processes, which takes a fraction of the
 *   time on a system with many processes.
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
    await each(pids, (pid) => {
      if (!isThread(pid)) found.push(pid);
    });
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
  const ending = new Set(known);
  const held = new Set<number>();
  for (const pid of known) kill(pid);
  let isAny = known.length > 0;
  const look = async (pids: readonly number[]) => {
    let isFound = false;
    // Kill each immediately: processes that go on running slow down the search for the others.
    await each(pids, (pid) => {
      if (held.has(pid) || isThread(pid)) return;
      isAny = isFound = true;
      ending.add(pid);
      kill(pid);
    });
    // A process that is releasing its memory has no mark any more, but still holds files and locks. And only the children of
    // a process that has ended are certain to be seen by the next scan.
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
  // Session 0 is that of kernel threads, and of the first process of a container.
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

/** Removes the processes that have ended, until none is left or the others make no progress. */
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

/** Whether a process in this state has not ended. A zombie has ended. */
function isLeft(state: string | undefined): boolean {
  return state !== undefined && state !== "Z" && state !== "X";
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended already.
  }
}
