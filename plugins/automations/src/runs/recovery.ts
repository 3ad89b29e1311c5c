import type { Costs } from "../money/costs.ts";
import type { Spending } from "../money/spending.ts";
import type { QueuedRun } from "../records/queued-runs.ts";
import type { Records } from "../records/records.ts";
import type { RunRecord } from "../wire/run.ts";
import type { Job } from "./job.ts";
import type { RunMark } from "../records/machine-marks.ts";
import { RESTARTED } from "./outcome.ts";
import type { RunBook, RunEnd } from "./run-book.ts";

/** Runs that are ended before anything else; an older version left thousands of queued ones to be ended. */
const MAX_ENDED_AT_ONCE = 200;

const FORMER_END =
  "The run ended like this after the snapshot was made that was restored; what it said is not in the snapshot.";

/** Dependencies of {@link recoverRuns}. */
export interface RecoveryHost {
  records: Records;
  book: RunBook;
  spending: Spending;
  costs: Costs;
}

/** The runs that the last daemon left without an end. */
export interface RecoveredRuns {
  /** Runs that never began, in the order in which they were queued. */
  queued: Job[];
  /** Ends those of the others that are not ended yet, if there are very many of them. */
  endOthers(): Promise<void>;
}

/**
 * Sorts out the runs that the last daemon left: it was stopped or killed. A run that had begun is ended, since it is not
 * known how far it came; one that was queued is to begin now. Must be called before any run of this daemon begins.
 */
export async function recoverRuns(host: RecoveryHost): Promise<RecoveredRuns> {
  const { records, book, costs } = host;
  const { marks } = records;
  const runs = await readUnfinished(book);
  const stored = await records.queued.read();
  const queued: Job[] = [];
  for (const { runId, run: order } of stored) {
    const run = runs.get(runId);
    // In a snapshot that was restored it may wait although it began since.
    const isNew = run?.startedAt === null && !(await marks.run(runId));
    if (isNew) queued.push(toJob(host, run, order));
    else await records.batch(records.queued.toRemove(runId));
  }
  for (const { run } of queued) runs.delete(run.id);

  const begun = [...runs.values()];
  const endSome = async () => {
    // The store writes together what comes together.
    const some = begun.slice(0, MAX_ENDED_AT_ONCE);
    await Promise.all(
      some.map((run) =>
        book.finish(run, async () => {
          const mark = await marks.run(run.id);
          return mark?.end
            ? toFormerEnd(mark.end)
            : toEnd(await costs.recall(run.id));
        }),
      ),
    );
    // Only now: what failed is tried again, and a run that has ended already stays as it is.
    begun.splice(0, some.length);
  };
  await endSome();
  return {
    queued,
    async endOthers() {
      while (begun.length > 0) await endSome();
    },
  };
}

/** The end that a run had before the snapshot was restored in which it has none. */
function toFormerEnd(end: NonNullable<RunMark["end"]>): RunEnd {
  return {
    ...end,
    message: FORMER_END,
    sessionId: null,
    problem: null,
    outcome: {
      gate: "outcome",
      verdict: end.result === "done" ? "passed" : "refused",
      detail: FORMER_END,
      figures: { costUsd: end.costUsd },
    },
    isTold: true,
  };
}

/** The end of a run that was cut off, with what the agents recorded of it. */
function toEnd(recorded: Awaited<ReturnType<Costs["recall"]>>): RunEnd {
  const costUsd = recorded?.usage.costUsd ?? null;
  return {
    result: "failed",
    reason: "daemon-restarted",
    message: RESTARTED,
    sessionId: recorded?.sessionId ?? null,
    problem: null,
    costUsd,
    outcome: {
      gate: "outcome",
      verdict: "refused",
      detail: "The daemon was restarted while the run was going.",
      figures: { costUsd },
    },
  };
}

async function readUnfinished(book: RunBook): Promise<Map<string, RunRecord>> {
  const runs = new Map<string, RunRecord>();
  let cursor: string | undefined;
  do {
    const page = await book.unfinished(cursor);
    for (const run of page.items) runs.set(run.id, run);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return runs;
}

function toJob(
  { spending }: RecoveryHost,
  run: RunRecord,
  { maxCostUsd, isCostCut: isCut, ...order }: QueuedRun,
): Job {
  return { ...order, run, grant: spending.restore({ maxCostUsd, isCut }) };
}
