import type { ProcessSubject, RunningProcess } from "@gantry/plugin";
import { readProcessMoment } from "@gantry/plugin/processes";
import type { ProcessMoment } from "@gantry/plugin/processes";

/** A moment that is not older than this is as good as the present one. */
const RECENT_MS = 1_000;

/** What is known of a child from its start. */
export interface ChildOrigin {
  plugin: string;
  /** Name of the program, without its arguments. */
  program: string;
  cwd: string;
  subject: ProcessSubject | null;
  isHost: boolean;
  /** RFC 3339 UTC with milliseconds. */
  startedAt: string;
  /** The mark of all that it starts. */
  mark: string;
}

/** All child processes that run, of every plugin, so that none outlives the daemon. */
export type Children = ReturnType<typeof createChildren>;

/** Makes an empty register. */
export function createChildren() {
  const running = new Map<RunningProcess, ChildOrigin>();
  let moment: ProcessMoment | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  return {
    /** A moment before the next child is started, by which its descendants are found. */
    moment(): ProcessMoment | undefined {
      const now = performance.now();
      if (now - readAt > RECENT_MS) {
        moment = readProcessMoment();
        readAt = now;
      }
      return moment;
    },
    list: () => [...running].map(([child, origin]) => ({ ...origin, child })),
    add(child: RunningProcess, origin: ChildOrigin): void {
      running.set(child, origin);
      void child.exited.then(() => running.delete(child));
    },
    /** KILL to the tree of each. Resolves when all have ended. */
    async killAll(): Promise<void> {
      await Promise.all([...running.keys()].map((child) => child.kill()));
    },
  };
}
