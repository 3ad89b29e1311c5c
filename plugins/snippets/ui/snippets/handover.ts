import type { Draft } from "../editor/draft.ts";

let held: Draft | undefined;

/** Hands what another place wrote to the editor of a new snippet, once. */
export const handover = {
  give(draft: Draft): void {
    held = draft;
  },
  take(): Draft | undefined {
    const given = held;
    held = undefined;
    return given;
  },
};
