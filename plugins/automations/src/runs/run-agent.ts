import { isGantryError } from "@gantry/plugin";
import type { Clock, Disposer, Log } from "@gantry/plugin";
import type {
  AgentRunOutcome,
  AgentRuns,
} from "@gantry/plugin-agents/contract";
import type { Job } from "./job.ts";
import { failure } from "./outcome.ts";

/** Dependencies of {@link createRunAgent}. */
export interface RunAgentHost {
  agents: AgentRuns;
  clock: Clock;
  log: Log;
  /** Aborts when the plugin stops. */
  signal: AbortSignal;
}

/** The agents end a run at its time limit themselves. If they do not, it is aborted after this time more. */
const GRACE_MS = 60_000;
/** A daemon that stops has less time: what is not over by then is found at its next start. */
const STOP_GRACE_MS = 3_000;

/**
 * Creates what runs an agent. There is an outcome whatever happens: a run that was aborted, by the user, the daemon or
 * its time limit, and does not end is given up, so that it keeps no concurrency slot.
 */
export function createRunAgent({ agents, clock, log, signal }: RunAgentHost) {
  function explain(error: unknown, runId: string): AgentRunOutcome {
    if (signal.aborted) return failure("cancelled", "");
    if (isGantryError(error)) return failure("agent-error", error.message);
    log.error("Run failed", { runId }, error);
    return failure(
      "agent-error",
      "The agent could not be run; the daemon's log has the details.",
    );
  }

  /** @param ending Aborts when the run is to end. */
  return async function runAgent(
    { run, agentId, prompt, freshSession, grant, ...order }: Job,
    ending: AbortSignal,
  ): Promise<AgentRunOutcome> {
    const overdue = new AbortController();
    let cancelTimer: Disposer = () => {};
    const givenUp = new Promise<AgentRunOutcome>((resolve) => {
      const giveUp = (reason: "timeout" | "cancelled") => {
        cancelTimer();
        const graceMs = signal.aborted ? STOP_GRACE_MS : GRACE_MS;
        cancelTimer = clock.after(graceMs, () =>
          resolve(failure(reason, "The agent could not be ended in time.")),
        );
      };
      cancelTimer = clock.after(order.timeoutMs + GRACE_MS, () => {
        overdue.abort();
        giveUp("timeout");
      });
      const cancelled = () => giveUp("cancelled");
      ending.addEventListener("abort", cancelled, { once: true });
    });
    const { maxCostUsd } = grant;
    const ended = agents
      .run(
        { agentId, runId: run.id, prompt, freshSession, maxCostUsd, ...order },
        AbortSignal.any([ending, overdue.signal]),
      )
      .catch((error: unknown) => explain(error, run.id));
    const outcome = await Promise.race([ended, givenUp]);
    cancelTimer();
    if (overdue.signal.aborted) return { ...outcome, failure: "timeout" };
    // An answer that comes after the stop does not undo it, but is kept.
    return ending.aborted
      ? { ...outcome, failure: outcome.failure ?? "cancelled" }
      : outcome;
  };
}
