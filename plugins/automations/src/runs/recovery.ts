import { RESTARTED } from "./outcome.ts";
import type { RunBook } from "./run-book.ts";

/** Ends the runs that the last daemon left: it was killed while they were going. */
export async function endAbandonedRuns(book: RunBook): Promise<void> {
  let cursor: string | undefined;
  do {
    const page = await book.unfinished(cursor);
    for (const run of page.items) {
      await book.finish(run, {
        result: "failed",
        reason: "daemon-restarted",
        message: RESTARTED,
        sessionId: null,
        costUsd: null,
        outcome: {
          gate: "outcome",
          verdict: "refused",
          detail: "The daemon was started anew while the run was going.",
          figures: {},
        },
      });
    }
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}
