import { isGantryError, type Clock } from "@gantry/plugin";
import type { AgentRemoval } from "../agents/agent-removal.ts";
import type { AgentBook } from "../agents/agent-book.ts";
import type { CliCatalog } from "../clis/cli-catalog.ts";
import type { AgentRunInput, AgentRunOutcome, AgentRuns } from "../contract.ts";
import { errors } from "../errors.ts";
import type { Fleet } from "../live/fleet.ts";
import type { RunWatches } from "../live/run-watches.ts";
import { addUsage, NO_USAGE } from "../live/usage.ts";
import type { TaskBook } from "../queue/task-book.ts";
import type { TaskQueue } from "../queue/task-queue.ts";
import type { TaskWaiters } from "../queue/task-waiters.ts";
import type { AgentRecord } from "../records/agent-record.ts";
import type { Records } from "../records/records.ts";
import type { TaskRecord } from "../records/task-record.ts";
import { failed } from "./failed-run.ts";
import { RunGuard, type RunGuardHost } from "./run-guard.ts";
import { createSoloRuns } from "./solo-runs.ts";

/** Dependencies of {@link createAgentRuns}. */
export interface AgentRunsHost {
  book: AgentBook;
  removal: AgentRemoval;
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
  const { book, removal, records, catalog, fleet } = host;
  const { tasks, waiters, queue } = host;
  const solo = createSoloRuns({ ...host, createGuard });

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
        cli: cli === null ? await catalog.defaultName() : (cli ?? agent.cli),
        // A folder that was made for it stays its own.
        ...(cwd === null && agent.ownsFolder ? {} : { cwd }),
      });
    },

    async removeAgents({ automationId }) {
      const agents = await records.agents.list({
        index: "automation",
        prefix: [automationId],
        limit: 500,
      });
      const all = { transcript: true, workFolder: true };
      // One that cannot be removed does not keep the others.
      const removed = await Promise.allSettled(
        agents.items.map(({ id }) => removal.remove(id, all)),
      );
      for (const outcome of removed)
        if (outcome.status === "rejected" && !isNotFound(outcome.reason))
          throw outcome.reason;
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
        busy: (fleet.get(agentId)?.isAtWork ?? false) || fleet.isTaken(agentId),
        inTerminal: agent.mode === "terminal",
        reportsCost: catalog.capabilities(agent.cli).cost === "usd",
      };
    },

    async recall({ runId }) {
      const { items } = await records.turns.list({
        index: "run",
        prefix: [runId],
      });
      const [newest] = items;
      if (!newest) return null;
      const usage = items.reduce(
        (sum, turn) => addUsage(sum, turn.usage),
        NO_USAGE,
      );
      return { usage, sessionId: newest.sessionId };
    },

    async run(input, signal) {
      const agent = await records.agents.get(input.agentId);
      if (!agent)
        return failed("target-gone", "The agent does not exist any more.");
      const isOpen = fleet.receiver(agent.id) !== undefined;
      if (!isOpen || input.freshSession)
        return await solo.takeOver(input, agent, signal);
      return input.permissions.mode === "report-only"
        ? await solo.borrow(input, agent, signal)
        : await joinOpen(input, agent, signal);
    },
  };

  /** The agent is open already: the prompt arrives as a follow-up and the agent stays open. */
  async function joinOpen(
    input: AgentRunInput,
    agent: AgentRecord,
    signal: AbortSignal,
  ): Promise<AgentRunOutcome> {
    const { agentId, runId, prompt: message } = input;
    let task: TaskRecord | undefined;
    /** What waits is taken back; a turn is stopped only if it is the run's own, never one of the user. */
    const stop = async () => {
      // Not decided yet, if it is on its way: its turn may have begun, and is stopped then.
      if (task && (await queue.withdraw(task))) return;
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
      const isUnsent = task !== undefined && (await withdraw(task));
      const isInTerminal = isUnsent && (await hasTerminal(agentId));
      return guard.failureOf(
        isInTerminal ? errors.AGENT_IN_TERMINAL({ id: agentId }) : error,
      );
    } finally {
      guard.dispose();
      if (task) {
        // A run that is over sends nothing later, when the agent is open again.
        await withdraw(task);
        waiters.forget(task.id);
      }
    }
  }

  /** Whether the agent is open in a terminal, or about to be. */
  async function hasTerminal(agentId: string): Promise<boolean> {
    const read = async () =>
      (await records.agents.get(agentId))?.mode === "terminal";
    // A terminal that is being opened holds the agent; so does a run, which may take hours.
    return fleet.isTaken(agentId)
      ? await read()
      : await fleet.exclusively(agentId, read);
  }

  /** Takes a message back. Gives, once that is decided, whether it was not sent. */
  async function withdraw(task: TaskRecord): Promise<boolean> {
    if (await queue.withdraw(task)) return true;
    await queue.decided(task.id);
    const { status } = (await records.tasks.get(task.id)) ?? {};
    return status === "cancelled";
  }

  function createGuard(
    input: AgentRunInput,
    stop: RunGuardHost["stop"],
    signal: AbortSignal,
  ): RunGuard {
    return new RunGuard({
      describe: () => fleet.get(input.agentId)?.describe() ?? null,
      input,
      stop,
      signal,
      clock: host.clock,
      watches: host.watches,
    });
  }
}

function isNotFound(error: unknown): boolean {
  return isGantryError(error) && error.code === "AGENT_NOT_FOUND";
}
