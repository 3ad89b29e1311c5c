import type { AgentDriver } from "../driver.ts";
import { errors } from "../errors.ts";

/** The drivers that are there, ours and those of other plugins. */
export class DriverRegistry {
  readonly #drivers = new Map<string, AgentDriver>();

  get(name: string): AgentDriver | undefined {
    return this.#drivers.get(name);
  }

  /**
   * Adds a driver until the signal aborts.
   *
   * @throws AGENT_DRIVER_TAKEN
   */
  add(driver: AgentDriver, signal: AbortSignal): void {
    if (this.#drivers.has(driver.name))
      throw errors.AGENT_DRIVER_TAKEN({ name: driver.name });
    signal.throwIfAborted();
    this.#drivers.set(driver.name, driver);
    signal.addEventListener("abort", () => this.#drivers.delete(driver.name), {
      once: true,
    });
  }
}
