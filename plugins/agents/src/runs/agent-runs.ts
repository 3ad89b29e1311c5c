import { createIdentifier, isGantryError, type Clock } from "@gantry/plugin";
import type { AgentBook } from "../agents/agent-book.ts";
import type { CliCatalog } from "../clis/cli-catalog.ts";
import type {
  AgentRunFailure,
  AgentRunInput,
  AgentRunOutcome,
  AgentRuns,
} from "../contract.ts";
import type { Fleet } from "../live/fleet.ts";
import type { LiveAgent } from "../live/live-agent.ts";
import type { RunWatches } from "../live/run-watches.ts";
import type { Turn } from "../live/turn.ts";
import { NO_USAGE } from "../live/usage.ts";
import type { TaskBook } from "../queue/task-book.ts";
import type { TaskQueue } from "../queue/task-queue.ts";
import type { TaskWaiters } from "../queue/task-waiters.ts";
import type { AgentRecord } from "../records/agent-record.ts";
import type { Records } from "../records/records.ts";
import type { TaskRecord } from "../records/task-record.ts";
import { RunGuard } from "./run-guard.ts";

/** What runs stand on. */
export interface AgentRunsHost {
  book: AgentBook;
  records: Records;
  catalog: CliCatalog;
  fleet: Fleet;
  tasks: TaskBook;
  waiters: TaskWaiters;
  queue: TaskQueue;
  watches: RunWatches;
  clock: Clock;
  /** Aborts when the plugin stops. */
  signal: AbortSignal;
  /** Starts an agent for messages that wait for it. */
  wake(agentId: string): void;
}

/** Makes the service that runs agents unattended. */
export function createAgentRuns(host: AgentRunsHost): AgentRuns {
  const { book, records, catalog, fleet, tasks, waiters, queue } = host;

  return {
    async createAgent(input) {
      const cli = input.cli ?? (await catalog.defaultName());
      // A CLI that cannot be kept from it still asks, and is told no.
      const readOnly =
        input.readOnly === true && catalog.capabilities(cli).readOnly;
      const agent = await book.create({ ...input, cli, readOnly });
      return { agentId: agent.id };
    },

    async updateAgent({ agentId, name, cli, model, cwd }) {
      const agent = await book.get(agentId);
      await book.change(agentId, {
        name,
        model,
        cli: cli ?? agent.cli,
        // A folder that was made for it stays its own.
        ...(cwd === null && agent.ownsFolder ? {} : { cwd }),
      });
    },

    async removeAgents({ automationId }) {
      const { items } = await records.agents.list({
        index: "automation",
        prefix: [automationId],
      });
      for (const { id } of items)
        await book.remove(id, { transcript: true, workFolder: true });
    },

    async inspect({ agentId }) {
      const agent = await records.agents.get(agentId);
      if (!agent)
        return {
          exists: false,
          cliInstalled: false,
          busy: false,
          inTerminal: false,
          reportsCost: false,
        };
      return {
        exists: true,
        cliInstalled: await catalog.isInstalled(agent.cli),
        busy: (fleet.get(agentId)?.isBusy ?? false) || fleet.isTaken(agentId),
        inTerminal: agent.mode === "terminal",
        reportsCost: catalog.capabilities(agent.cli).cost === "usd",
      };
    },

    async run(input, signal) {
      const agent = await records.agents.get(input.agentId);
      if (!agent)
        return failed("target-gone", "The agent does not exist any more.");
      const open = fleet.receiver(agent.id);
      if (open && !input.freshSession)
        return await joinOpen(input, agent, signal);
      return await fleet.take(agent.id, () => takeOver(input, agent, signal));
    },
  };

  /** The agent is the run's alone: its own process, closed afterwards. */
  async function takeOver(
    input: AgentRunInput,
    agent: AgentRecord,
    signal: AbortSignal,
  ): Promise<AgentRunOutcome> {
    const current = fleet.get(agent.id);
    if (current?.isBusy) {
      return failed("agent-error", "The agent is at work on something else.");
    }
    const guard = createGuard(
      input,
      () => fleet.kill(agent.id, "The run was stopped."),
      signal,
    );
    try {
      if (current)
        await fleet.close(agent.id, "A run of an automation needs it.");
      const options = {
        fresh: input.freshSession,
        isTaken: true,
        asksFirst: input.permissions.mode === "report-only",
      };
      const live = await fleet.open(agent.id, options, guard.signal);
      const turn = await begin(live, input);
      return await guard.outcomeOf(turn);
    } catch (error) {
      return guard.failureOf(error);
    } finally {
      guard.dispose();
      await fleet.close(agent.id, "The run is over.");
      host.wake(agent.id);
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

  /** The agent is open for somebody: the prompt arrives as a follow-up and the agent stays open. */
  async function joinOpen(
    input: AgentRunInput,
    agent: AgentRecord,
    signal: AbortSignal,
  ): Promise<AgentRunOutcome> {
    const { agentId, runId, prompt: message } = input;
    let task: TaskRecord | undefined;
    /** What waits is taken back; a turn is stopped only if it is the run's own, never one of the user. */
    const stop = async () => {
      if (task && (await withdraw(task))) return;
      const turn = fleet.get(agentId)?.turn;
      if (turn?.origin.runId === runId) await fleet.abort(agentId);
    };
    const guard = createGuard(input, stop, signal);
    try {
      guard.signal.throwIfAborted();
      task = await tasks.add({
        agentId,
        kind: "follow_up",
        message,
        source: "automation",
        runId,
        startsAgent: true,
      });
      const outcome = waiters.outcomeOf(task);
      queue.pump(agentId);
      if (!fleet.receiver(agentId)) host.wake(agentId);
      return await guard.outcomeOf({ outcome });
    } catch (error) {
      return guard.failureOf(error);
    } finally {
      guard.dispose();
      if (task) {
        // A run that is over sends nothing later, when the agent is open again.
        await withdraw(task);
        waiters.forget(task.id);
      }
    }
  }

  /** Takes a message back that was not sent yet. */
  function withdraw({ agentId, id }: TaskRecord): Promise<boolean> {
    return queue.cancel(agentId, id, undefined).then(
      () => true,
      (error: unknown) => {
        // It is on its way or over, or its agent was deleted with all its messages.
        if (isGantryError(error)) return false;
        throw error;
      },
    );
  }

  function createGuard(
    input: AgentRunInput,
    stop: () => Promise<void>,
    signal: AbortSignal,
  ): RunGuard {
    return new RunGuard({
      input,
      stop,
      signal,
      clock: host.clock,
      watches: host.watches,
    });
  }
}

/** An outcome of a run that never began. */
export function failed(
  failure: AgentRunFailure,
  message: string,
): AgentRunOutcome {
  return {
    failure,
    message,
    sessionId: null,
    usage: NO_USAGE,
    permissionsAsked: [],
    permissionsRefused: [],
  };
}
