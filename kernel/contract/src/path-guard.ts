import type { Clock, Disposer } from "./clock.ts";
import { createPathProbe } from "./path-probe.ts";
import type { Run } from "./process.ts";

/** Work on one path at the same time; more waits. Work with another deadline is apart and waits for its like alone. */
const MAX_AT_ONCE = 2;
/** Work that takes longer is slow: it may never end, and does not count as work that others wait for. */
const SLOW_MS = 500;
/** Work on all paths at the same time, without what is slow. */
const MAX_FRESH = 4;
/** Work on all paths at the same time: some threads are left to what asks no guard, such as conversations. */
const MAX_RUNNING = 10;
const DEFAULT_DEADLINE_MS = 10_000;

/** How {@link PathGuard.run} does its work. */
export interface GuardedWork {
  /** Time in all, including that of waiting for other work; 10 s unless said. */
  deadlineMs?: number | undefined;
  /** What the work reads first, where that is not the path itself but something in it. It may be on another disk. */
  target?: string | undefined;
}

/** Runs work on paths of disks that may never answer, such as a network disk that is away. */
export interface PathGuard {
  /**
   * Runs work on a path. The work itself cannot be cancelled: what is overdue continues without a caller that waits for it, and counts
   * until it ends.
   *
   * @throws what `refuse` makes if it is not done by its deadline, or if too much work on the path is overdue already
   */
  run<Result>(
    path: string,
    work: () => Promise<Result>,
    options?: GuardedWork,
  ): Promise<Result>;
}

/** Work that waits for its turn. */
interface Waiting {
  readonly target: string;
  begin(): void;
}

/** Work on one path that has one deadline. */
interface Lane {
  running: number;
  overdue: number;
  readonly waiting: Waiting[];
}

/** Dependencies of {@link createPathGuard}. */
export interface PathGuardHost {
  /** Measures deadlines: `ctx.clock`. */
  clock: Pick<Clock, "after" | "monotonic">;
  /** Starts the processes that look at paths: `ctx.run`. */
  run: Run;
  /** Makes the error for a path that does not answer. */
  refuse: (path: string, deadlineMs: number) => Error;
}

/**
 * Makes a guard. A call of the file system that never returns holds one of the threads that all calls of the process share.
 * So the guard limits how many of them one path can hold, and while any work is slow, it lets a process of its own, which can
 * be killed, look first whether a path answers: however many paths fall silent together, few threads are held.
 *
 * @example const stats = await guard.run(folder, () => stat(folder));
 */
export function createPathGuard(host: PathGuardHost): PathGuard {
  const { clock, refuse } = host;
  const lanes = new Map<string, Lane>();
  // What falls silent while work becomes slow has not answered for as long.
  const answers = createAnswers(clock, SLOW_MS);
  const probes = createPathProbe(host, (path, hasAnswered) => {
    if (hasAnswered) answers.add(path);
    pump();
  });
  let running = 0;
  let fresh = 0;

  /** Starts what may start: first on paths that are not worked on. */
  function pump(): void {
    for (let most = 1; most <= MAX_AT_ONCE; most++)
      for (const lane of lanes.values())
        if (fresh < MAX_FRESH && running < MAX_RUNNING && lane.running < most)
          takeNext(lane)?.begin();
  }

  /** Takes the first that may start from those that wait, and has the others' targets looked at. */
  function takeNext(lane: Lane): Waiting | undefined {
    const next = lane.waiting.findIndex(({ target }) => {
      const mayStart = running === fresh || answers.has(target);
      if (!mayStart) probes.look(target);
      return mayStart;
    });
    return next < 0 ? undefined : lane.waiting.splice(next, 1)[0];
  }

  /** Counts work from its begin, as fresh and then as slow. Gives what ends that. */
  function count(): Disposer {
    let isSlow = false;
    running += 1;
    fresh += 1;
    const cancel = clock.after(SLOW_MS, () => {
      isSlow = true;
      fresh -= 1;
      pump();
    });
    return () => {
      cancel();
      running -= 1;
      if (!isSlow) fresh -= 1;
    };
  }

  return {
    run(path, work, { deadlineMs = DEFAULT_DEADLINE_MS, target = path } = {}) {
      const key = `${deadlineMs} ${path}`;
      const lane = lanes.get(key) ?? { running: 0, overdue: 0, waiting: [] };
      if (lane.overdue === MAX_AT_ONCE)
        return Promise.reject(refuse(path, deadlineMs));
      lanes.set(key, lane);
      const leave = () => {
        if (lane.running === 0 && lane.waiting.length === 0) lanes.delete(key);
        pump();
      };
      return new Promise((resolve, reject) => {
        let state: "waiting" | "running" | "overdue" = "waiting";
        const waiting: Waiting = {
          target,
          begin() {
            state = "running";
            lane.running += 1;
            const endCount = count();
            const end = () => {
              cancelDeadline();
              endCount();
              lane.running -= 1;
              if (state === "overdue") lane.overdue -= 1;
              answers.add(target);
              leave();
            };
            work().finally(end).then(resolve, reject);
          },
        };
        const cancelDeadline = clock.after(deadlineMs, () => {
          reject(refuse(path, deadlineMs));
          if (state === "waiting") {
            lane.waiting.splice(lane.waiting.indexOf(waiting), 1);
            return leave();
          }
          state = "overdue";
          lane.overdue += 1;
        });
        lane.waiting.push(waiting);
        pump();
      });
    },
  };
}

/** Paths that answered a moment ago. */
function createAnswers(clock: Pick<Clock, "monotonic">, momentMs: number) {
  /** When each answered last, the oldest first. */
  const times = new Map<string, number>();
  return {
    has: (path: string) =>
      clock.monotonic() - (times.get(path) ?? -Infinity) < momentMs,
    add(path: string) {
      const now = clock.monotonic();
      times.delete(path);
      times.set(path, now);
      for (const [oldest, time] of times) {
        if (now - time < momentMs) return;
        times.delete(oldest);
      }
    },
  };
}
