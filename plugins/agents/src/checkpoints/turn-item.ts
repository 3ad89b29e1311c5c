import type { RecordedChange } from "./checkpoint-records.ts";

/** What a turn changed, as clients have it. */
export interface TurnItem {
  turnId: string;
  at: string;
  files: number;
  additions: number;
  deletions: number;
  undone: boolean;
  sharedWith: string[];
  /** Of the newest restore of it, with which that is taken back. */
  undoId: string | null;
}

/** What was put back, or would be. */
export interface Restored {
  files: {
    path: string;
    action: "restored" | "removed" | "unchanged";
    changedSince: boolean;
  }[];
  undoId: string | null;
}

/** A record as clients have it. */
export function toItem(
  change: RecordedChange,
  all: readonly RecordedChange[],
): TurnItem {
  const { id, at, files, additions, deletions, undone, sharedWith } = change;
  const undoId = all.findLast(({ of }) => of === id)?.id ?? null;
  return {
    ...{ turnId: id, at, files, additions, deletions },
    ...{ undone, sharedWith, undoId },
  };
}
