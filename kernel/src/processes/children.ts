import type { RunningProcess } from "@gantry/plugin";

/** All child processes that run, of every plugin, so that none outlives the daemon. */
export interface Children {
  add(child: RunningProcess): void;
  /** KILL to the tree of each. Resolves when all have ended. */
  killAll(): Promise<void>;
  readonly size: number;
}

/** Makes an empty register. */
export function createChildren(): Children {
  const running = new Set<RunningProcess>();
  return {
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
