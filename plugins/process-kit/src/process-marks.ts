import { readFileSync } from "node:fs";
import type { ProcessTable } from "./process-table.ts";

/** Finds processes by the mark that a program of a plugin hands down to all that it starts. */
export interface ProcessMarks {
  /** The marks of these processes that have one, by their numbers. Each process is looked at once in its life. */
  read(table: ProcessTable): ReadonlyMap<number, string>;
}

interface SeenProcess {
  startTime: string;
  mark: string | undefined;
}

/** The variables are those of `DaemonProgram.mark`. */
const MARK = /(?:^|\0)GANTRY_(?:PROCESS|DETACHED)_TREE=([^\0]*)/;

/** Makes a reader that remembers what it saw. Finds no marks on a system without /proc. */
export function createProcessMarks(): ProcessMarks {
  let seen = new Map<number, SeenProcess>();
  return {
    read(table) {
      const next = new Map<number, SeenProcess>();
      const marks = new Map<number, string>();
      for (const { pid, startTime } of table.values()) {
        const known = seen.get(pid);
        const process =
          known?.startTime === startTime
            ? known
            : { startTime, mark: readMark(pid) };
        next.set(pid, process);
        if (process.mark !== undefined) marks.set(pid, process.mark);
      }
      seen = next;
      return marks;
    },
  };
}

function readMark(pid: number): string | undefined {
  try {
    return MARK.exec(readFileSync(`/proc/${pid}/environ`, "latin1"))?.[1];
  } catch {
    // Of another user, or gone.
    return undefined;
  }
}
