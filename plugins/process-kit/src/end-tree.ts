import { setTimeout as sleep } from "node:timers/promises"; // eslint-disable-line gantry/no-ambient-time -- programs live in real time
import type { Clock } from "@gantry/plugin";
import type { SystemProcess } from "./process-table.ts";
import { sortIntoTrees } from "./process-trees.ts";
import { readProcesses } from "./read-processes.ts";

const TERM_GRACE_MS = 5_000;
/** A process that was killed takes a moment to be gone. */
const MAX_KILL_MS = 5_000;
/** How often it is looked whether they are gone. */
const STEP_MS = 25;

/** Real time, in which programs live, whatever clock the daemon has. */
export const REAL_TIME: EndClock = {
  // eslint-disable-next-line gantry/no-ambient-time -- programs live in real time
  monotonic: () => performance.now(),
  sleep: (ms) => sleep(ms),
};

/** The time in which a tree is ended. */
export type EndClock = Pick<Clock, "monotonic" | "sleep">;

/** What is left of a tree. */
export interface TreeRest {
  processes: readonly Pick<SystemProcess, "pid">[];
  isGone: boolean;
}

/**
 * Ends a tree: TERM, and KILL to what is left after 5 s. Resolves when it is gone, or another 5 s later if something does not
 * go.
 *
 * @param read Reads what is left of it.
 */
export async function endTree(
  read: () => Promise<TreeRest>,
  clock: EndClock,
): Promise<void> {
  let left = await read();
  signalAll(left, "SIGTERM");
  const killAt = clock.monotonic() + TERM_GRACE_MS;
  while (!left.isGone && clock.monotonic() < killAt + MAX_KILL_MS) {
    await clock.sleep(STEP_MS);
    left = await read();
    // Again at each step, for what was started meanwhile.
    if (clock.monotonic() >= killAt) signalAll(left, "SIGKILL");
  }
}

/** Those of these processes that have not ended, with what they have started since: also what is no longer a child of theirs. */
export async function readLeft(
  processes: readonly SystemProcess[],
): Promise<readonly SystemProcess[]> {
  const table = await readProcesses();
  if (!table) return [];
  const trees = sortIntoTrees(table);
  const isLeft = ({ pid, startTime }: SystemProcess) =>
    table.get(pid)?.startTime === startTime;
  return [
    ...new Set(
      processes.filter(isLeft).flatMap(({ pid }) => trees.of({ pid })),
    ),
  ];
}

function signalAll({ processes }: TreeRest, signal: NodeJS.Signals): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, signal);
    } catch {
      // Gone already.
    }
  }
}
