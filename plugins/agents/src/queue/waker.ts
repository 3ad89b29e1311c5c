import { isGantryError, type Log } from "@gantry/plugin";
import type { Fleet } from "../live/fleet.ts";
import type { TaskQueue } from "./task-queue.ts";
import type { TaskWaiters } from "./task-waiters.ts";

/** Dependencies of {@link Waker}. */
export interface WakerHost {
  fleet: Fleet;
  queue: TaskQueue;
  waiters: TaskWaiters;
  log: Log;
  /** Aborts when the plugin stops. */
  signal: AbortSignal;
}

/** Starts agents for messages that were taken for them. */
export class Waker {
  readonly #host: WakerHost;
  /** Agents for which there was no room. */
  readonly #waiting = new Set<string>();

  constructor(host: WakerHost) {
    this.#host = host;
  }

  /** Starts an agent if messages wait for it. */
  wake(agentId: string): void {
    void this.#wake(agentId).catch((error: unknown) => {
      // An agent that is busy now makes room when it has finished.
      if (isGantryError(error) && error.code === "AGENT_LIMIT_REACHED")
        return void this.#waiting.add(agentId);
      // What waits goes into its screen.
      if (isGantryError(error) && error.code === "AGENT_IN_TERMINAL") return;
      const reason = error instanceof Error ? error : new Error(String(error));
      const { waiters, log } = this.#host;
      waiters.failed(agentId, reason);
      const fields = { agent: agentId, reason: reason.message };
      log.warn("An agent could not be started for its messages", fields);
    });
  }

  /** An agent may be closed for another now, or is. */
  madeRoom(): void {
    const agentIds = [...this.#waiting];
    this.#waiting.clear();
    for (const agentId of agentIds) this.wake(agentId);
  }

  async #wake(agentId: string): Promise<void> {
    const { fleet, queue, signal } = this.#host;
    if (signal.aborted || !(await queue.wantsStart(agentId))) return;
    await fleet.start(agentId, signal);
  }
}
