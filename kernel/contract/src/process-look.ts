import { readdirSync } from "node:fs";
import { readProcessMoment, startedBetween } from "./process-moment.ts";
import type { ProcessMoment } from "./process-moment.ts";

/**
 * Looks in a row without a find after which looking ends, on a machine where processes start all the time. Each starts
 * right after the one before, so that it usually finds a process that starts its successor and ends.
 */
const MAX_FRUITLESS_LOOKS = 100;

/**
 * Looks at all processes, and then at those that were started meanwhile, until none was. One look is not enough: a process
 * may start another one, which is not in the list, and end before its own turn comes.
 *
 * @param look Looks at processes. Gives whether it found any of those that it is for, which have ended if they are to.
 * @param since Only what was started later is looked at.
 * @param isEnough Whether what was found is enough.
 */
export async function lookUntilSure(
  look: (pids: readonly number[]) => Promise<boolean>,
  since?: ProcessMoment,
  isEnough: () => boolean = () => false,
): Promise<void> {
  let from = since;
  let now = readProcessMoment();
  for (let fruitless = 0; fruitless < MAX_FRUITLESS_LOOKS;) {
    const isFound = await look(listProcesses(startedBetween(from, now)));
    const next = readProcessMoment();
    const isSure = next?.lastPid === now?.lastPid;
    if (isSure || isEnough()) return;
    fruitless = isFound ? 0 : fruitless + 1;
    [from, now] = [now, next];
    await new Promise(setImmediate);
  }
}

/** Without waiting: what is listed in the background may be gone when its turn comes. */
function listProcesses(
  isCandidate: (pid: number) => boolean = () => true,
): number[] {
  let names: string[] = [];
  try {
    names = readdirSync("/proc");
  } catch {
    // A system without /proc.
  }
  return names.map(Number).filter((pid) => pid > 0 && isCandidate(pid));
}
