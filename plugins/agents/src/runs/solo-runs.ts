import { createIdentifier } from "@gantry/plugin";
import { raceAbort } from "../abort.ts";
import { checkCanRestart } from "../clis/asks-first.ts";
import type { CliCatalog } from "../clis/cli-catalog.ts";
import type { AgentRunInput, AgentRunOutcome } from "../contract.ts";
import type { Fleet } from "../live/fleet.ts";
import type { LiveAgent } from "../live/live-agent.ts";
import type { Turn } from "../live/turn.ts";
import type { AgentRecord } from "../records/agent-record.ts";
import { failed } from "./failed-run.ts";
import type { RunGuard, RunGuardHost } from "./run-guard.ts";

/** Dependencies of {@link createSoloRuns}. */
export interface SoloRunsHost {
  catalog: CliCatalog;
  fleet: Fleet;
  /** Aborts when the plugin stops. */
  signal: AbortSignal;
  /** Starts an agent for messages that wait for it. */
  wake(agentId: string): void;
  /** @param stop Ends what the run has started. */
  createGuard(
    input: AgentRunInput,
    stop: RunGuardHost["stop"],
    signal: AbortSignal,
  ): RunGuard;
}

const STOPPED = "The run was stopped.";

type RunAgent = (
  input: AgentRunInput,
  agent: AgentRecord,
  signal: AbortSignal,
) => Promise<AgentRunOutcome>;

/** Runs that have their agent to themselves. */
export interface SoloRuns {
  /** Starts the agent for the run, and closes it afterwards. */
  takeOver: RunAgent;
  /**
   * Runs an agent that is open for its user, and may do without asking what its user allowed. It is restarted for the run once it
   * is idle, and opened again afterwards.
   */
  borrow: RunAgent;
}

export function createSoloRuns(host: SoloRunsHost): SoloRuns {
  const { catalog, fleet, createGuard } = host;

  return {
    takeOver: (input, agent, signal) =>
      fleet.take(agent.id, () => takeOver(input, agent, signal)),
    borrow,
  };

  async function takeOver(
    input: AgentRunInput,
    agent: AgentRecord,
    signal: AbortSignal,
  ): Promise<AgentRunOutcome> {
    if (fleet.get(agent.id)?.isAtWork)
      return failed("agent-error", "The agent is working on something else.");
    const guard = createGuard(
      input,
      (isDaemonStopping) => fleet.kill(agent.id, STOPPED, isDaemonStopping),
      signal,
    );
    try {
      const outcome = await runAlone(input, agent, guard);
      return await closeAfter(outcome, agent.id, guard);
    } finally {
      guard.dispose();
      host.wake(agent.id);
    }
  }

  /** Starts the agent for the run alone, and gives what came of it. */
  async function runAlone(
    input: AgentRunInput,
    agent: AgentRecord,
    guard: RunGuard,
  ): Promise<AgentRunOutcome> {
    try {
      if (fleet.get(agent.id))
        await fleet.close(agent.id, "A run of an automation needs it.");
      const options = {
        fresh: input.freshSession,
        isTaken: true,
        asksFirst: input.permissions.mode === "report-only",
        maxCostUsd: input.maxCostUsd,
      };
      const live = await fleet.open(agent.id, options, guard.signal);
      const { result: outcome } = await begin(live, input);
      return await guard.outcomeOf({ outcome });
    } catch (error) {
      return guard.failureOf(error);
    }
  }

  /** Closes the agent after its run. A CLI may report the last of its spending while it closes. */
  async function closeAfter(
    outcome: AgentRunOutcome,
    agentId: string,
    guard: RunGuard,
  ): Promise<AgentRunOutcome> {
    await fleet.close(agentId, "The run is over.");
    return { ...outcome, usage: guard.usage };
  }

  async function borrow(
    input: AgentRunInput,
    agent: AgentRecord,
    signal: AbortSignal,
  ): Promise<AgentRunOutcome> {
    const { id, cli } = agent;
    let isOurs = false;
    // While the run waits, what runs is the user's.
    const stop = async (isDaemonStopping: boolean) =>
      isOurs ? await fleet.kill(id, STOPPED, isDaemonStopping) : undefined;
    const guard = createGuard(input, stop, signal);
    try {
      checkCanRestart(cli, catalog.capabilities(cli));
      for (;;) {
        const open = fleet.get(id)?.untilIdle();
        await raceAbort(open ?? Promise.resolve(), guard.signal);
        const outcome = await fleet.take(id, async () => {
          if (fleet.get(id)?.isAtWork) return undefined;
          isOurs = true;
          return await runBorrowed(input, agent, guard);
        });
        if (outcome) return outcome;
      }
    } catch (error) {
      return guard.failureOf(error);
    } finally {
      guard.dispose();
      host.wake(id);
    }
  }

  async function runBorrowed(
    input: AgentRunInput,
    agent: AgentRecord,
    guard: RunGuard,
  ): Promise<AgentRunOutcome> {
    const { id } = agent;
    const wasOpen = fleet.get(id) !== undefined;
    guard.signal.throwIfAborted();
    const outcome = await runAlone(input, agent, guard);
    const isGone = fleet.get(id)?.isClosing !== false;
    const wasClosedByUser =
      isGone && outcome.failure === "cancelled" && !guard.signal.aborted;
    const closed = await closeAfter(outcome, id, guard);
    const asBefore = { fresh: false, isTaken: false };
    // One that does not start again is closed; the next message tells why.
    if (wasOpen && !wasClosedByUser)
      await fleet.open(id, asBefore, host.signal).catch(() => undefined);
    return closed;
  }
}

async function begin(
  live: LiveAgent,
  { runId, prompt }: AgentRunInput,
): Promise<Turn> {
  const turnId = createIdentifier("trn");
  const delivery = {
    turnId,
    taskId: null,
    runId,
    source: "automation",
    text: prompt,
    context: "",
    images: [],
  };
  return await live.deliver(delivery);
}
