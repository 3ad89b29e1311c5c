import { readdirSync } from "node:fs";
import { rangeBetween, readProcessMoment } from "./process-moment.ts";
import type { ProcessMoment, ProcessRange } from "./process-moment.ts";

/**
 * Limit of consecutive scans without a match, for a machine where processes start all the time. Each scan starts right after the
 * previous one, so that it usually finds a process that starts its successor and exits.
 */
const MAX_FRUITLESS_LOOKS = 100;
/** Up to this many process ids, trying each is faster than listing all processes. */
const MAX_LISTED_UNSEEN = 64;

/**
 * Scans all processes, and then those that were started meanwhile, until there are none. One scan is not enough: a process may
 * start another one, which is not in the list, and exit before it is read itself. A scan during which no process id was assigned
 * is not enough either: a new process gets its id shortly before it is visible, so its parent may have exited when it is read
 * while the new one is not in the list. The next scan sees the new one; it repeats the range of the previous scan, since the
 * new id may be older than both.
 *
 * @param look Scans processes. Resolves with whether any matched; matches that are to be ended have ended.
 * @param since Only processes that were started later are scanned.
 * @param isEnough Returns whether the matches so far suffice.
 */
export async function lookUntilSure(
  look: (pids: readonly number[]) => Promise<boolean>,
  since?: ProcessMoment,
  isEnough: () => boolean = () => false,
): Promise<void> {
  let [beforeLast, last] = [since, since];
  let now = readProcessMoment();
  let isQuiet = false;
  for (let fruitless = 0; fruitless < MAX_FRUITLESS_LOOKS;) {
    const isFound = await look(listProcesses(rangeBetween(beforeLast, now)));
    const next = readProcessMoment();
    const wasQuiet = isQuiet;
    isQuiet = !isFound && next?.lastPid === now?.lastPid;
    if (isEnough() || !next || (isQuiet && wasQuiet)) return;
    fruitless = isFound ? 0 : fruitless + 1;
    [beforeLast, last, now] = [last, now, next];
    await new Promise(setImmediate);
  }
}

/**
 * Process ids to scan, newest first: where each process starts the next and exits, only the newest lives long enough. A short
 * range is returned as it is, including ids of threads and of no process, since listing all takes as long as such a process
 * lives. Synchronous, since a process may have exited by the time that an asynchronous list arrives.
 */
function listProcesses(range: ProcessRange | undefined): number[] {
  if (range && range.size <= MAX_LISTED_UNSEEN) return range.numbers();
  let names: string[] = [];
  try {
    names = readdirSync("/proc");
  } catch {
    // A system without /proc.
  }
  return names
    .map(Number)
    .filter((pid) => pid > 0 && (!range || range.has(pid)))
    .reverse();
}
