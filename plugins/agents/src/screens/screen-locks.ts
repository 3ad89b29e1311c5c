import { isGantryError, type Log } from "@gantry/plugin";
import type { SessionLock, SessionLocks } from "../live/session-locks.ts";
import type { AgentRecord } from "../records/agent-record.ts";

/**
 * Locks of the conversations that the screens of agents show. A CLI can return to a conversation that it showed before, so
 * a screen keeps the locks of all of them until it ends.
 */
export class ScreenLocks {
  readonly #locks: SessionLocks;
  readonly #log: Log;
  /** Locks by agent id and session id. */
  readonly #held = new Map<string, Map<string, SessionLock>>();

  constructor(locks: SessionLocks, log: Log) {
    this.#locks = locks;
    this.#log = log;
  }

  keep(agentId: string, sessionId: string, lock: SessionLock): void {
    const held = this.#held.get(agentId) ?? new Map<string, SessionLock>();
    this.#held.set(agentId, held.set(sessionId, lock));
  }

  /** Takes over the lock of a screen that an earlier daemon opened. */
  async adopt({ id, cli, sessionId }: AgentRecord): Promise<void> {
    if (sessionId === null) return;
    const lock = await this.#locks
      .adopt(cli, sessionId, id)
      .catch(() => undefined);
    if (lock) this.keep(id, sessionId, lock);
  }

  /** Takes the lock of another conversation that the screen shows now; logs if it is locked. */
  async follow(
    { id, cli, screen }: AgentRecord,
    sessionId: string,
  ): Promise<void> {
    if (!screen?.process || this.#held.get(id)?.has(sessionId)) return;
    try {
      const lock = await this.#locks.take(cli, sessionId, id);
      await lock.assignTo(screen.process.pid);
      this.keep(id, sessionId, lock);
    } catch (error) {
      if (!isGantryError(error)) throw error;
      const fields = { agent: id, reason: error.message };
      this.#log.warn("A screen shows a conversation that is locked", fields);
    }
  }

  async release(agentId: string): Promise<void> {
    const held = this.#held.get(agentId);
    this.#held.delete(agentId);
    for (const lock of held?.values() ?? []) await lock.release();
  }
}
