import { isGantryError, type Clock } from "@gantry/plugin";
import type { AgentRemoval } from "../agents/agent-removal.ts";
import type { AgentBook } from "../agents/agent-book.ts";
import type { CliCatalog } from "../clis/cli-catalog.ts";
import type { AgentRunInput, AgentRunOutcome, AgentRuns } from "../contract.ts";
import { errors } from "../errors.ts";
import type { Fleet } from "../live/fleet.ts";
import type { RunWatches } from "../live/run-watches.ts";
import { addUsage, NO_USAGE, raceAbort } from "@gantry/agent-kit";
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
  /** Starts an agent for its queued messages. */
  wake(agentId: string): void;
  /** Resolves when the daemon has started all plugins, so that all drivers were added. */
  started: Promise<void>;
}

/** Creates the service that runs agents without a user. */
export function createAgentRuns(host: AgentRunsHost): AgentRuns {
  const { book, removal, records, catalog, fleet } = host;
  const { tasks, waiters, queue } = host;
  let isStarted = false;
  void host.started.then(() => (isStarted = true));
  /** Waits until all drivers were added. Resolves also on abort, which the caller handles. */
  const untilStarted = async (signal: AbortSignal) =>
    await raceAbort(host.started, signal).catch(() => undefined);
  const solo = createSoloRuns({ ...host, createGuard });

  return {
    async createAgent(input) {
      const cli = input.cli ?? (await catalog.defaultName());
      // A CLI without `readOnly` asks before it writes, and the run's policy refuses.
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
        // `null` keeps a folder that was created for the agent.
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
      // A failure does not stop the removal of the others.
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
        // While drivers are still being added, `true`: the run waits for them and reports a missing CLI itself.
        cliInstalled: !isStarted || (await catalog.isInstalled(agent.cli)),
        busy: (fleet.get(agentId)?.isBusy ?? false) || fleet.isTaken(agentId),
        inTerminal: agent.mode === "terminal",
        reportsCost:
          !isStarted || catalog.capabilities(agent.cli).cost === "usd",
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
      await untilStarted(signal);
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

  /** Runs a prompt on an agent that is open for its user: queues it as a follow-up; the agent stays open. */
  async function joinOpen(
    input: AgentRunInput,
    agent: AgentRecord,
    signal: AbortSignal,
  ): Promise<AgentRunOutcome> {
    const { agentId, runId, prompt: message } = input;
    let task: TaskRecord | undefined;
    /** Cancels the message if it is queued, and stops the current turn only if it belongs to the run. */
    const stop = async () => {
      // If the message is being delivered, its turn may have begun; then the turn is stopped.
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
      return guard.failureOf(isInTerminal ? errors.AGENT_IN_TERMINAL() : error);
    } finally {
      guard.dispose();
      if (task) {
        // After the end of the run, its message must not be sent when the agent is opened again.
        await withdraw(task);
        waiters.forget(task.id);
      }
    }
  }

  /** Whether the agent is open or being opened in a terminal. */
  async function hasTerminal(agentId: string): Promise<boolean> {
    const read = async () =>
      (await records.agents.get(agentId))?.mode === "terminal";
    // Waits for a terminal that is being opened, but not for a run, which may take hours.
    return fleet.isTaken(agentId)
      ? await read()
      : await fleet.exclusively(agentId, read);
  }

  /** Cancels a message, and resolves when its outcome is known. Returns whether it was not sent. */
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
