import type { Clock, RunningProcess } from "@gantry/plugin";
import { sortIntoTrees } from "./process-tree.ts";
import { readProcesses } from "./read-processes.ts";
import type { SystemProcess } from "./read-processes.ts";

const TERM_GRACE_MS = 5_000;
/** How long a killed process may take to disappear. */
const MAX_KILL_MS = 5_000;
/** How often the processes are checked. */
const STEP_MS = 25;

/** What {@link endTree} ends. */
export interface ProgramTree {
  pid: number;
  /** The handle of a program that ends with the daemon. */
  child: RunningProcess | undefined;
  /** Its current processes. */
  processes: readonly SystemProcess[];
}

/**
 * Ends a program with all its descendants: sends TERM, and KILL to what is left after 5 s. Resolves when all have
 * ended, or another 5 s later if some do not.
 *
 * @param clock Real time, since programs run in real time.
 */
export async function endTree(
  { pid, child, processes }: ProgramTree,
  clock: Clock,
): Promise<void> {
  // Without a process table at least the root is known.
  signalAll(processes.length > 0 ? processes : [{ pid }], "SIGTERM");
  if (child) {
    // If the program exits by itself, its handle ends the rest and removes its marker.
    if (await isOverWithin(TERM_GRACE_MS, child.exited, clock)) return;
    await child.kill();
    return;
  }
  let left = await waitForEnd(processes, TERM_GRACE_MS, clock);
  const deadline = clock.monotonic() + MAX_KILL_MS;
  while (left.length > 0 && clock.monotonic() < deadline) {
    signalAll(left, "SIGKILL");
    // Processes that were started meanwhile get their signal at the next step.
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

/** Waits until processes that are not our children have ended; returns those that are left after a timeout. */
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

/**
 * The processes that have not ended, with those that they have started since, including ones that are no longer
 * children of the root.
 */
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
      // It has already ended.
    }
  }
}
