import type { ProcessTable, SystemProcess } from "./process-table.ts";

/** Finds the processes that belong together. */
export interface ProcessTrees {
  /**
   * A process with all that it started, directly or not: its descendants, and those of its group and session or with its mark
   * that have become children of another process. Empty if it is gone and has left nothing.
   */
  of(root: { pid: number; mark?: string | null }): SystemProcess[];
}

/** Sorts a table for {@link ProcessTrees.of}. */
export function sortIntoTrees(
  table: ProcessTable,
  marks: ReadonlyMap<number, string> = new Map(),
): ProcessTrees {
  // A daemon that was started in one of its own terminals is no part of them.
  const all = [...table.values()].filter(({ pid }) => pid !== process.pid);
  const byParent = new Map<number, SystemProcess[]>();
  for (const each of all) {
    const siblings = byParent.get(each.parent);
    if (siblings) siblings.push(each);
    else byParent.set(each.parent, [each]);
  }
  return {
    of({ pid: root, mark = null }) {
      const isOwn = ({ pid, group, session }: SystemProcess) =>
        pid === root ||
        group === root ||
        session === root ||
        (mark !== null && marks.get(pid) === mark);
      const found = new Set(all.filter(isOwn));
      // A set is walked to its end, also when it grows meanwhile.
      for (const { pid } of found)
        for (const child of byParent.get(pid) ?? []) found.add(child);
      return [...found];
    },
  };
}
