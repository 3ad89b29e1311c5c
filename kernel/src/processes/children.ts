import type { RunningProcess } from "@gantry/plugin";
import { readProcessMoment } from "@gantry/plugin/processes";
import type { ProcessMoment } from "@gantry/plugin/processes";

/** A moment that is not older than this is as good as the present one. */
const RECENT_MS = 1_000;

/** All child processes that run, of every plugin, so that none outlives the daemon. */
export interface Children {
  add(child: RunningProcess): void;
  /** A moment before the next child is started, by which its descendants are found. */
  moment(): ProcessMoment | undefined;
  /** KILL to the tree of each. Resolves when all have ended. */
  killAll(): Promise<void>;
  readonly size: number;
}

/** Makes an empty register. */
export function createChildren(): Children {
  const running = new Set<RunningProcess>();
  let moment: ProcessMoment | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  return {
    moment() {
      const now = performance.now();
      if (now - readAt > RECENT_MS) {
        moment = readProcessMoment();
        readAt = now;
      }
      return moment;
    },
    get size() {
      return running.size;
    },
    add(child) {
      running.add(child);
      void child.exited.then(() => running.delete(child));
    },
    async killAll() {
      await Promise.all([...running].map((child) => child.kill()));
    },
  };
}
