import type { AgentGate } from "../agents/agent-gate.ts";

/** A running program. */
interface Running {
  abort: AbortController;
  ended: Promise<unknown>;
}

/** Tracks programs that the user runs for agents, so that they end when their agent is deleted. */
export class AgentPrograms {
  readonly #gate: AgentGate;
  readonly #running = new Map<string, Set<Running>>();

  constructor(gate: AgentGate) {
    this.#gate = gate;
  }

  /**
   * Runs a program for an agent.
   *
   * @param work Starts the program and resolves when all of its processes have ended. The signal's abort must end it.
   * @throws AGENT_NOT_FOUND if the agent was deleted before or meanwhile
   */
  async run<Result>(
    agentId: string,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    // No await between this check and the registration below, so that no deletion can come in between.
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

  /** The number of running programs of an agent. */
  count(agentId: string): number {
    return this.#running.get(agentId)?.size ?? 0;
  }

  /** Ends the programs of an agent. Returns whether any was running. */
  abort(agentId: string): boolean {
    const running = this.#running.get(agentId);
    for (const { abort } of running ?? []) abort.abort();
    return running !== undefined;
  }

  /** As {@link abort}, and resolves when they have ended. */
  async end(agentId: string): Promise<void> {
    this.abort(agentId);
    const running = this.#running.get(agentId) ?? [];
    await Promise.all([...running].map(({ ended }) => ended));
  }
}
