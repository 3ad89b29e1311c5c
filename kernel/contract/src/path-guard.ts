import type { Clock } from "./clock.ts";

/** Work on one path at the same time; more waits. Work with another deadline is apart and waits for its like alone. */
const MAX_AT_ONCE = 3;
/** From so much overdue work on, more on the same path is refused at once. */
const MAX_OVERDUE = 2;
/** From so much overdue work on all paths on, only paths that answered the last time are worked on. */
const MAX_OVERDUE_IN_ALL = 32;

/** Runs work on paths of disks that may never answer, such as a network disk that is away. */
export interface PathGuard {
  /**
   * Runs work on a path. The work itself cannot be cancelled: what is overdue goes on, with nobody waiting for it, and counts
   * until it ends.
   *
   * @param deadlineMs Time in all, including that of waiting for other work on the path.
   * @throws what `refuse` makes if it is not done by then, or if too much work is overdue already
   */
  run<Result>(
    path: string,
    work: () => Promise<Result>,
    deadlineMs?: number,
  ): Promise<Result>;
}

/** Paths that are remembered to answer. */
const MAX_KNOWN = 1000;
const DEFAULT_DEADLINE_MS = 10_000;

interface Lane {
  running: number;
  overdue: number;
  waiting: (() => void)[];
}

/**
 * Makes a guard. A call of the file system that never returns holds one of the few threads that all calls of the process
 * share, so the guard limits how many of them one path can hold.
 *
 * @param host `refuse` makes the error for a path that does not answer.
 * @example const stats = await guard.run(folder, () => stat(folder));
 */
export function createPathGuard(host: {
  clock: Clock;
  refuse: (path: string, deadlineMs: number) => Error;
}): PathGuard {
  const { clock, refuse } = host;
  const lanes = new Map<string, Lane>();
  /** Paths whose last work ended in time. */
  const answering = new Set<string>();
  let overdueInAll = 0;

  function isRefused(path: string, lane: Lane): boolean {
    return (
      lane.overdue >= MAX_OVERDUE ||
      (overdueInAll >= MAX_OVERDUE_IN_ALL && !answering.has(path))
    );
  }

  function noteAnswer(path: string): void {
    answering.delete(path);
    answering.add(path);
    const [oldest] = answering;
    if (answering.size > MAX_KNOWN && oldest !== undefined)
      answering.delete(oldest);
  }

  function leave(key: string, lane: Lane): void {
    lane.running -= 1;
    lane.waiting.shift()?.();
    if (lane.running === 0) lanes.delete(key);
  }

  return {
    async run(path, work, deadlineMs = DEFAULT_DEADLINE_MS) {
      const key = `${deadlineMs} ${path}`;
      const lane = lanes.get(key) ?? { running: 0, overdue: 0, waiting: [] };
      if (isRefused(path, lane)) throw refuse(path, deadlineMs);
      lanes.set(key, lane);
      return await new Promise((resolve, reject) => {
        let isOverdue = false;
        let hasBegun = false;
        const begin = () => {
          hasBegun = true;
          lane.running += 1;
          void work()
            .then(resolve, reject)
            .finally(() => {
              cancel();
              if (isOverdue) {
                lane.overdue -= 1;
                overdueInAll -= 1;
              }
              noteAnswer(path);
              leave(key, lane);
            });
        };
        const cancel = clock.after(deadlineMs, () => {
          reject(refuse(path, deadlineMs));
          if (!hasBegun) {
            lane.waiting.splice(lane.waiting.indexOf(begin), 1);
            return;
          }
          isOverdue = true;
          lane.overdue += 1;
          overdueInAll += 1;
          answering.delete(path);
        });
        if (lane.running < MAX_AT_ONCE) begin();
        else lane.waiting.push(begin);
      });
    },
  };
}
