import type { AgentGate } from "../agents/agent-gate.ts";

/** A program that runs, and how it is ended. */
interface Running {
  abort: AbortController;
  ended: Promise<unknown>;
}

/** Programs that the user runs for agents, to be ended with them. */
export class AgentPrograms {
  readonly #gate: AgentGate;
  readonly #running = new Map<string, Set<Running>>();

  constructor(gate: AgentGate) {
    this.#gate = gate;
  }

  /**
   * Runs a program for an agent.
   *
   * @param work Starts it and resolves when it has ended, with all that it started. It is to end when the signal aborts.
   * @throws AGENT_NOT_FOUND if the agent was deleted before or meanwhile
   */
  async run<Result>(
    agentId: string,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    // Synchronous with the registration below, so that no deletion comes between.
    this.#gate.check(agentId);
    const abort = new AbortController();
    const result = work(abort.signal);
    const entry = { abort, ended: result.catch(() => undefined) };
    const running = this.#running.get(agentId) ?? new Set();
    this.#running.set(agentId, running.add(entry));
    try {
      const value = await result;
      this.#gate.check(agentId);
      return value;
    } finally {
      running.delete(entry);
      if (running.size === 0) this.#running.delete(agentId);
    }
  }

  /** How many run for an agent. */
  count(agentId: string): number {
    return this.#running.get(agentId)?.size ?? 0;
  }

  /** Ends what runs for an agent. Gives whether there was anything. */
  abort(agentId: string): boolean {
    const running = this.#running.get(agentId);
    for (const { abort } of running ?? []) abort.abort();
    return running !== undefined;
  }

  /** As {@link abort}, and resolves when nothing runs any more. */
  async end(agentId: string): Promise<void> {
    this.abort(agentId);
    const running = this.#running.get(agentId) ?? [];
    await Promise.all([...running].map(({ ended }) => ended));
  }
}
