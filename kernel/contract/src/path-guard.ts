import type { Clock, Disposer } from "./clock.ts";

/** Work on one path at the same time; more waits. Work with another deadline is apart and waits for its like alone. */
const MAX_AT_ONCE = 2;
/** Work that goes on for longer is slow: it may never end, and does not count as work that others wait for. */
const SLOW_MS = 500;
/** Work on all paths at the same time, without what is slow. */
const MAX_FRESH = 4;
/** From so much slow work on, work starts only on paths that answered the last time. Work with a long deadline may be slow. */
const MAX_SLOW = 6;
/** Work on all paths at the same time: some threads are left to what asks no guard, such as conversations. */
const MAX_RUNNING = 10;
/** Paths that are remembered to answer. */
const MAX_KNOWN = 1000;
const DEFAULT_DEADLINE_MS = 10_000;

/** Runs work on paths of disks that may never answer, such as a network disk that is away. */
export interface PathGuard {
  /**
   * Runs work on a path. The work itself cannot be cancelled: what is overdue goes on, with nobody waiting for it, and counts
   * until it ends.
   *
   * @param deadlineMs Time in all, including that of waiting for other work.
   * @throws what `refuse` makes if it is not done by then, or if too much work is overdue already
   */
  run<Result>(
    path: string,
    work: () => Promise<Result>,
    deadlineMs?: number,
  ): Promise<Result>;
}

/** Work on one path that has one deadline. */
interface Lane {
  readonly path: string;
  running: number;
  overdue: number;
  /** Starts what waits, in its order. */
  readonly waiting: (() => void)[];
}

/** Dependencies of {@link createPathGuard}. */
export interface PathGuardHost {
  clock: Pick<Clock, "after">;
  /** Makes the error for a path that does not answer. */
  refuse: (path: string, deadlineMs: number) => Error;
}

/**
 * Makes a guard. A call of the file system that never returns holds one of the threads that all calls of the process share,
 * so the guard limits how many of them one path can hold, and how fast.
 *
 * @example const stats = await guard.run(folder, () => stat(folder));
 */
export function createPathGuard({ clock, refuse }: PathGuardHost): PathGuard {
  const lanes = new Map<string, Lane>();
  const answering = createKnownPaths();
  let running = 0;
  let fresh = 0;
  let slow = 0;

  /** Starts what may start: first on paths that are not worked on. */
  function pump(): void {
    for (let most = 1; most <= MAX_AT_ONCE; most++)
      for (const lane of lanes.values())
        if (
          fresh < MAX_FRESH &&
          running < MAX_RUNNING &&
          lane.running < most &&
          (slow < MAX_SLOW || answering.has(lane.path))
        )
          lane.waiting.shift()?.();
  }

  /** Counts work from its begin, as fresh and then as slow. Gives what ends that. */
  function count(mayBeSlow: boolean): Disposer {
    let isSlow = false;
    const weight = mayBeSlow ? 0 : 1;
    running += 1;
    fresh += 1;
    const cancel = clock.after(SLOW_MS, () => {
      isSlow = true;
      fresh -= 1;
      slow += weight;
      pump();
    });
    return () => {
      cancel();
      running -= 1;
      if (isSlow) slow -= weight;
      else fresh -= 1;
    };
  }

  return {
    run(path, work, deadlineMs = DEFAULT_DEADLINE_MS) {
      const key = `${deadlineMs} ${path}`;
      const lane = lanes.get(key) ?? {
        path,
        running: 0,
        overdue: 0,
        waiting: [],
      };
      if (lane.overdue === MAX_AT_ONCE)
        return Promise.reject(refuse(path, deadlineMs));
      lanes.set(key, lane);
      const leave = () => {
        if (lane.running === 0 && lane.waiting.length === 0) lanes.delete(key);
        pump();
      };
      return new Promise((resolve, reject) => {
        let state: "waiting" | "running" | "overdue" = "waiting";
        const begin = () => {
          state = "running";
          lane.running += 1;
          const endCount = count(deadlineMs > DEFAULT_DEADLINE_MS);
          const end = () => {
            cancelDeadline();
            endCount();
            lane.running -= 1;
            if (state === "overdue") lane.overdue -= 1;
            answering.add(path);
            leave();
          };
          work().finally(end).then(resolve, reject);
        };
        const cancelDeadline = clock.after(deadlineMs, () => {
          reject(refuse(path, deadlineMs));
          if (state === "waiting") {
            lane.waiting.splice(lane.waiting.indexOf(begin), 1);
            return leave();
          }
          state = "overdue";
          lane.overdue += 1;
          answering.remove(path);
        });
        lane.waiting.push(begin);
        pump();
      });
    },
  };
}

/** Paths whose last work ended in time, the newest of them. */
function createKnownPaths() {
  const paths = new Set<string>();
  return {
    has: (path: string) => paths.has(path),
    remove: (path: string) => void paths.delete(path),
    add(path: string) {
      paths.delete(path);
      paths.add(path);
      const [oldest] = paths;
      if (paths.size > MAX_KNOWN && oldest !== undefined) paths.delete(oldest);
    },
  };
}
