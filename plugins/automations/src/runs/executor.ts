import type { Clock, Log } from "@gantry/plugin";
import type { AgentRuns } from "@gantry/plugin-agents/contract";
import type { Costs } from "../money/costs.ts";
import { createPlaces } from "../places.ts";
import type { Retry } from "../retry.ts";
import { failure, toEnd } from "./outcome.ts";
import { createRunAgent } from "./run-agent.ts";
import type { RunBook } from "./run-book.ts";
import type { Job } from "./job.ts";

/** A concurrency slot, running or queued. */
export interface Room {
  /** Whether the run begins at once. */
  readonly atOnce: boolean;
  /** Runs that are running or queued before this one, and how many may run at once. */
  readonly running: number;
  readonly limit: number;
  /** Starts the job, or lets it wait for its turn. */
  launch(job: Job): void;
  /** Gives the place back; nothing was launched. */
  release(): void;
}

/** Runs agents, each job to its one end. */
export interface Executor {
  /** Takes a place before the run is written, so that what is written of its beginning is true. */
  reserve(): Room;
  /** Ends the run of an automation, and nothing else that its agent may be at. Gives whether there was one. */
  cancel(automationId: string): boolean;
  /** Resolves when a run has ended. */
  ended(runId: string): Promise<void>;
  /** Resolves when no job is left. */
  settled(): Promise<void>;
}

/** Dependencies of {@link createExecutor}. */
export interface ExecutorHost {
  agents: AgentRuns;
  book: RunBook;
  clock: Clock;
  log: Log;
  /** Aborts when the plugin stops. */
  signal: AbortSignal;
  limit: number;
  retry: Retry;
  costs: Pick<Costs, "recall">;
}

export function createExecutor(host: ExecutorHost): Executor {
  const { book, clock, log, signal, limit, retry, costs } = host;
  const runAgent = createRunAgent(host);
  const places = createPlaces(limit);
  const jobs = new Map<
    string,
    { cancel: AbortController; job: Job; work: Promise<void> }
  >();
  const atWork = new Set<Promise<void>>();
  let taken = 0;

  async function execute(job: Job, ending: AbortSignal): Promise<void> {
    if (job.run.startedAt === null) {
      // What never began stays queued, and begins after the next start.
      if (signal.aborted) return;
      if (!ending.aborted) await persist(() => book.begin(job.run));
    }
    const startedAt = clock.monotonic();
    const outcome = ending.aborted
      ? failure("cancelled", "")
      : await runAgent(job, ending);
    const durationMs = Math.round(clock.monotonic() - startedAt);
    const isStopping = signal.aborted;
    await persist(() =>
      book.finish(job.run, async () => {
        const recorded = await costs.recall(job.run.id);
        const usage = recorded?.usage ?? outcome.usage;
        return toEnd(job, { ...outcome, usage }, durationMs, isStopping);
      }),
    );
  }

  /** Writes, and tries again while the store refuses: a run must not stay without an end. */
  const persist = (write: () => Promise<void>) =>
    retry(write, { message: "The outcome of a run could not be written" });

  function launch(job: Job): void {
    const cancel = new AbortController();
    const ending = AbortSignal.any([signal, cancel.signal]);
    const { id } = job.run;
    // What makes up for a missed slot is late anyway, and must not make others late.
    const isLow = job.run.trigger === "catch-up";
    const work = places
      .take(() => execute(job, ending), { signal: ending, isLow })
      .catch((error: unknown) => {
        // Only at the end of the plugin: what could not be written is found at the next start.
        if (!signal.aborted) log.error("Run was lost", { runId: id }, error);
      })
      .finally(() => {
        taken--;
        job.grant.release();
        jobs.delete(id);
        atWork.delete(work);
      });
    jobs.set(id, { cancel, job, work });
    atWork.add(work);
  }

  return {
    reserve() {
      const running = taken++;
      return {
        atOnce: running < limit,
        running,
        limit,
        launch,
        release: () => void taken--,
      };
    },
    cancel(automationId) {
      const own = [...jobs.values()].filter(
        ({ job }) => job.run.automationId === automationId,
      );
      for (const { cancel } of own) cancel.abort();
      return own.length > 0;
    },
    ended: async (runId) => void (await jobs.get(runId)?.work),
    async settled() {
      await Promise.all(atWork);
    },
  };
}
