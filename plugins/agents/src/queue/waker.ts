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

/** Starts closed agents for which messages are queued. Tries again when a slot or a missing driver becomes available. */
export class Waker {
  readonly #host: WakerHost;
  /** Agents that could not start because of `limits.openAgents`. */
  readonly #waiting = new Set<string>();
  /** Agents whose CLI or driver is missing. */
  readonly #withoutCli = new Set<string>();

  constructor(host: WakerHost) {
    this.#host = host;
  }

  /** Starts an agent if messages for it are queued. Returns at once; failures are logged. */
  wake(agentId: string): void {
    void this.#wake(agentId).catch((error: unknown) => {
      // `madeRoom` tries again, at the latest when the turn of another agent has ended.
      if (isGantryError(error) && error.code === "AGENT_LIMIT_REACHED")
        return void this.#waiting.add(agentId);
      // The queued messages are sent to its screen.
      if (isGantryError(error) && error.code === "AGENT_IN_TERMINAL") return;
      if (isGantryError(error) && error.code === "AGENT_CLI_MISSING")
        this.#withoutCli.add(agentId);
      const reason = error instanceof Error ? error : new Error(String(error));
      const { waiters, log } = this.#host;
      waiters.failed(agentId, reason);
      const fields = { agent: agentId, reason: reason.message };
      log.warn("An agent could not be started for its messages", fields);
    });
  }

  /** Tries again to start agents, because another agent became idle or was closed. */
  madeRoom(): void {
    const agentIds = [...this.#waiting];
    this.#waiting.clear();
    for (const agentId of agentIds) this.wake(agentId);
  }

  /** Tries again to start agents whose CLI was missing, because a driver was added. */
  driverAdded(): void {
    const agentIds = [...this.#withoutCli];
    this.#withoutCli.clear();
    for (const agentId of agentIds) this.wake(agentId);
  }

  async #wake(agentId: string): Promise<void> {
    const { fleet, queue, signal } = this.#host;
    if (signal.aborted || !(await queue.wantsStart(agentId))) return;
    await fleet.start(agentId, signal);
  }
}
