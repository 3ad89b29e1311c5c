import type { Clock } from "@gantry/plugin";
import type { Driver } from "./view-messages.ts";

/** How long after its last input the user or an agent counts as using a tab. */
export const DRIVER_MS = 2_000;

/** Tracks who is using a tab. The user has priority: an agent waits while the user's pointer or keyboard is in use. */
export class DriverWatch {
  readonly #clock: Clock;
  readonly #onChange: (driver: Driver) => void;
  #driver: Driver = { who: null, agentId: null };
  #until = -1;
  #stopTimer: (() => void) | undefined;

  constructor(clock: Clock, onChange: (driver: Driver) => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  get current(): Driver {
    return this.#driver;
  }

  get isUser(): boolean {
    return this.#driver.who === "user";
  }

  noteUser(): void {
    this.#note("user", null);
  }

  noteAgent(agentId: string): void {
    if (!this.isUser) this.#note("agent", agentId);
  }

  close(): void {
    this.#stopTimer?.();
  }

  #note(who: "user" | "agent", agentId: string | null): void {
    this.#until = this.#clock.monotonic() + DRIVER_MS;
    // One timer that checks again, instead of a new one for each pointer move.
    if (!this.#stopTimer) this.#wait(DRIVER_MS);
    if (this.#driver.who === who && this.#driver.agentId === agentId) return;
    this.#driver = { who, agentId };
    this.#onChange(this.#driver);
  }

  #wait(ms: number): void {
    this.#stopTimer = this.#clock.after(ms, () => {
      this.#stopTimer = undefined;
      const left = this.#until - this.#clock.monotonic();
      if (left > 0) return this.#wait(left);
      this.#driver = { who: null, agentId: null };
      this.#onChange(this.#driver);
    });
  }
}
