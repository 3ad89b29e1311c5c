import { errors } from "../errors.ts";

/**
 * Keeps writes from recreating parts of an agent that is being deleted. Each write of data of an agent goes through
 * {@link write}; a deletion closes the gate, which waits for writes in flight, before it removes anything.
 */
export class AgentGate {
  readonly #closed = new Set<string>();
  readonly #writing = new Map<string, Set<Promise<unknown>>>();

  /** Whether the agent is being deleted or has been deleted. */
  isClosed(agentId: string): boolean {
    return this.#closed.has(agentId);
  }

  /** @throws AGENT_NOT_FOUND once the agent is being deleted */
  check(agentId: string): void {
    if (this.isClosed(agentId)) throw errors.AGENT_NOT_FOUND({ id: agentId });
  }

  /**
   * Runs work that writes data of an agent.
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

  /** Refuses new writes, and resolves when the writes in flight have ended. */
  async close(agentId: string): Promise<void> {
    this.#closed.add(agentId);
    const writing = this.#writing.get(agentId);
    if (writing) await Promise.allSettled(writing);
  }

  /** Accepts writes again, after a deletion that failed. */
  reopen(agentId: string): void {
    this.#closed.delete(agentId);
  }
}
