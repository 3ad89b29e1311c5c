import { errors } from "../errors.ts";

/**
 * Keeps writes of what belongs to an agent apart from its deletion: each write goes through {@link write}, and a deletion
 * closes the gate before it removes anything, so that nothing in flight can bring a part of it back.
 */
export class AgentGate {
  readonly #closed = new Set<string>();
  readonly #writing = new Map<string, Set<Promise<unknown>>>();

  /** Whether the agent is being deleted, or was. */
  isClosed(agentId: string): boolean {
    return this.#closed.has(agentId);
  }

  /** @throws AGENT_NOT_FOUND once the agent is being deleted */
  check(agentId: string): void {
    if (this.isClosed(agentId)) throw errors.AGENT_NOT_FOUND({ id: agentId });
  }

  /**
   * Runs work that writes something of an agent.
   *
   * @throws AGENT_NOT_FOUND once the agent is being deleted
   */
  async write<Result>(
    agentId: string,
    work: () => Promise<Result>,
  ): Promise<Result> {
    this.check(agentId);
    const writing = this.#writing.get(agentId) ?? new Set();
    this.#writing.set(agentId, writing);
    const result = work();
    writing.add(result);
    try {
      return await result;
    } finally {
      writing.delete(result);
      if (writing.size === 0) this.#writing.delete(agentId);
    }
  }

  /** Refuses writes from now on, and resolves when those that were begun have ended. */
  async close(agentId: string): Promise<void> {
    this.#closed.add(agentId);
    const writing = this.#writing.get(agentId);
    if (writing) await Promise.allSettled(writing);
  }

  /** Takes writes again: the agent was not deleted after all. */
  reopen(agentId: string): void {
    this.#closed.delete(agentId);
  }
}
