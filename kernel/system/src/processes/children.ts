import type { ProcessSubject, RunningProcess } from "@gantry/plugin";
import { readProcessMoment } from "@gantry/plugin-helpers/processes";
import type { ProcessMoment } from "@gantry/plugin-helpers/processes";

/** A process snapshot no older than this counts as current. */
const RECENT_MS = 1_000;

/** Data about a child, recorded at its start. */
export interface ChildOrigin {
  plugin: string;
  /** Name of the program, without its arguments. */
  program: string;
  cwd: string;
  subject: ProcessSubject | null;
  /** RFC 3339 UTC with milliseconds. */
  startedAt: string;
  /** The mark of the child and its descendants. */
  mark: string;
}

/** All running child processes, of every plugin, so that none outlives the daemon. */
export interface Children {
  add(child: RunningProcess, origin: ChildOrigin): void;
  list(): (ChildOrigin & { child: RunningProcess })[];
  /** A snapshot taken before the next child is started, by which its descendants are found. */
  moment(): ProcessMoment | undefined;
  /** Sends KILL to the process tree of each child. Resolves when all have ended. */
  killAll(): Promise<void>;
  readonly size: number;
}

/** Creates an empty register. */
export function createChildren(): Children {
  const running = new Map<RunningProcess, ChildOrigin>();
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
    list: () => [...running].map(([child, origin]) => ({ ...origin, child })),
    add(child, origin) {
      running.set(child, origin);
      void child.exited.then(() => running.delete(child));
    },
    async killAll() {
      await Promise.all([...running.keys()].map((child) => child.kill()));
    },
  };
}
