import type { Clock, RunningProcess } from "@gantry/plugin";
import { sortIntoTrees } from "../processes/process-tree.ts";
import { readProcesses } from "../processes/read-processes.ts";
import type { SystemProcess } from "../processes/read-processes.ts";

const TERM_GRACE_MS = 5_000;
/** A process that was killed takes a moment to be gone. */
const MAX_KILL_MS = 5_000;
/** How often it is looked whether they are gone. */
const STEP_MS = 25;

/** What {@link endTree} ends. */
export interface ProgramTree {
  pid: number;
  /** The handle of a program that ends with the daemon. */
  child: RunningProcess | undefined;
  /** Its processes at this moment. */
  processes: readonly SystemProcess[];
}

/**
 * Ends a program with all that it started: TERM, and KILL to what is left after 5 s. Resolves when it is gone, or another 5 s
 * later if something does not go.
 *
 * @param clock Real time, in which programs live.
 */
export async function endTree(
  { pid, child, processes }: ProgramTree,
  clock: Clock,
): Promise<void> {
  // A tree of which nothing can be told has a root at least.
  signalAll(processes.length > 0 ? processes : [{ pid }], "SIGTERM");
  if (child) {
    // Its handle ends what is left when it goes by itself, and removes its marker.
    if (await isOverWithin(TERM_GRACE_MS, child.exited, clock)) return;
    await child.kill();
    return;
  }
  let left = await waitForEnd(processes, TERM_GRACE_MS, clock);
  const deadline = clock.monotonic() + MAX_KILL_MS;
  while (left.length > 0 && clock.monotonic() < deadline) {
    signalAll(left, "SIGKILL");
    // What was started meanwhile gets its signal at the next step.
    left = await waitForEnd(left, STEP_MS, clock);
  }
}

async function isOverWithin(
  ms: number,
  exited: Promise<unknown>,
  clock: Clock,
): Promise<boolean> {
  const over = new AbortController();
  const isOver = await Promise.race([
    exited.then(() => true),
    clock.sleep(ms, over.signal).then(
      () => false,
      () => false,
    ),
  ]);
  over.abort();
  return isOver;
}

/** Waits until processes that are no children of ours are gone, and gives what is left of them after a time. */
async function waitForEnd(
  processes: readonly SystemProcess[],
  ms: number,
  clock: Clock,
): Promise<readonly SystemProcess[]> {
  const deadline = clock.monotonic() + ms;
  for (let left = processes; ;) {
    left = await readLeft(left);
    if (left.length === 0 || clock.monotonic() >= deadline) return left;
    await clock.sleep(STEP_MS);
  }
}

/** Those that have not ended, with what they have started since: also what is no longer a child of the root. */
async function readLeft(
  processes: readonly SystemProcess[],
): Promise<readonly SystemProcess[]> {
  const table = await readProcesses();
  if (!table) return [];
  const trees = sortIntoTrees(table);
  const isLeft = ({ pid, startTime }: SystemProcess) =>
    table.get(pid)?.startTime === startTime;
  return [
    ...new Set(processes.filter(isLeft).flatMap(({ pid }) => trees.of(pid))),
  ];
}

function signalAll(
  processes: readonly Pick<SystemProcess, "pid">[],
  signal: NodeJS.Signals,
): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, signal);
    } catch {
      // Gone already.
    }
  }
}
