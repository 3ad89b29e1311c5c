import type { RunRecord } from "../wire/run.ts";
import { RESTARTED } from "./outcome.ts";
import type { RunBook, RunEnd } from "./run-book.ts";

const ENDING: RunEnd = {
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
};

/** Runs that are ended before anything else; more have waited for a place, and would keep the plugin from starting. */
const MOST_AT_ONCE = 200;

/**
 * Ends the runs that the last daemon left: it was stopped or killed while they were going. Must be called before any
 * run of this daemon begins.
 *
 * @returns what ends the others, if there are very many of them. By then all runs of this daemon are told apart.
 */
export async function endAbandonedRuns(
  book: RunBook,
): Promise<() => Promise<void>> {
  const runs: RunRecord[] = [];
  let cursor: string | undefined;
  do {
    const page = await book.unfinished(cursor);
    runs.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);

  const endSome = async () => {
    // The store writes together what comes together.
    const some = runs.splice(0, MOST_AT_ONCE);
    await Promise.all(some.map((run) => book.finish(run, ENDING)));
  };
  await endSome();
  return async () => {
    while (runs.length > 0) await endSome();
  };
}
