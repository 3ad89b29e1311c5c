import type { Clock } from "@gantry/plugin";
import type { DraftView } from "../wire/draft.ts";

/** Keeps drafts for as long as a user may look at them. They are in memory alone, since nothing of them is saved. */
export interface DraftShelf {
  put(draft: DraftView): void;
  get(id: string): DraftView | undefined;
  /** Newest first. */
  list(): DraftView[];
  /** Changes one that is there. */
  change(id: string, fields: Partial<DraftView>): void;
  remove(id: string): void;
}

const KEPT_MS = 60 * 60 * 1000;
const MAX_KEPT = 50;

export function createDraftShelf(clock: Clock): DraftShelf {
  const drafts = new Map<string, DraftView>();

  /** Removes ended drafts that are too old or too many; never one that an agent still works on. */
  function sweep(): void {
    const ended = [...drafts.values()].filter(
      ({ state }) => state !== "working",
    );
    const tooMany = ended.slice(0, Math.max(0, drafts.size - MAX_KEPT));
    const limit = clock.now() - KEPT_MS;
    const old = ended.filter(
      ({ finishedAt }) =>
        finishedAt !== null && Date.parse(finishedAt) <= limit,
    );
    for (const { id } of [...tooMany, ...old]) drafts.delete(id);
  }

  return {
    put(draft) {
      drafts.set(draft.id, draft);
      sweep();
    },
    get(id) {
      sweep();
      return drafts.get(id);
    },
    list() {
      sweep();
      return [...drafts.values()].reverse();
    },
    change(id, fields) {
      drafts.set(id, { ...drafts.get(id)!, ...fields });
    },
    remove: (id) => void drafts.delete(id),
  };
}
