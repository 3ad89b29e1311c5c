import type { DraftView } from "../wire.ts";

/** Stands for the editor of a new automation. */
export const NEW = "new";

let waiting: { for: string; draft: DraftView } | undefined;

/** Hands a draft from the page on which it was described to the editor that opens with it, once. */
export const draftHandover = {
  /** @param target Id of the automation that it is for, or {@link NEW}. */
  give(target: string, draft: DraftView): void {
    waiting = { for: target, draft };
  },
  take(target: string): DraftView | undefined {
    const given = waiting?.for === target ? waiting.draft : undefined;
    if (given) waiting = undefined;
    return given;
  },
};
