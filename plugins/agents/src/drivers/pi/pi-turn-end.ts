import type { PiState } from "./pi-wire.ts";

/** Dependencies of {@link PiTurnEnd}. */
export interface PiTurnEndHost {
  /** This version is known to say `agent_settled` when it is at rest. */
  settles: boolean;
  readState(): Promise<PiState>;
  started(): Promise<void>;
  ended(): Promise<void>;
}

/**
 * Decides when pi is at rest. Newer versions say so. Older ones end a run with `agent_end` and may then try again or
 * compact, which they announce before they answer any other command: so their state is asked for, and if nothing was
 * announced by the time of the answer and it is at rest, the turn is over.
 */
export class PiTurnEnd {
  readonly #host: PiTurnEndHost;
  #settles: boolean;
  /** A prompt is in flight or a run is active. */
  #open = false;
  #running = false;
  /** Grows with each sign of work, so that a question of before is known to be stale. */
  #signs = 0;

  constructor(host: PiTurnEndHost) {
    this.#host = host;
    this.#settles = host.settles;
  }

  expect(): void {
    // What was asked before is about an earlier turn, however late its answer comes.
    this.#signs += 1;
    this.#open = true;
  }

  /** The prompt was not taken. Returns whether a run is active nevertheless. */
  forget(): boolean {
    this.#open = this.#running;
    return this.#running;
  }

  async agentStarted(): Promise<void> {
    this.#signs += 1;
    this.#running = true;
    this.#open = true;
    await this.#host.started();
  }

  async agentEnded(willRetry: boolean | undefined): Promise<void> {
    // What comes before the run of a prompt has begun is about an earlier one.
    if (!this.#running || this.#settles || willRetry) return;
    this.#settleWhenAtRest();
  }

  async settled(): Promise<void> {
    this.#settles = true;
    // What comes before the run of a prompt has begun is about an earlier one.
    if (this.#running) await this.#finish();
  }

  /** A retry or a compaction: the run is not over. */
  goesOn(): void {
    this.#signs += 1;
  }

  async compacted(): Promise<void> {
    await this.agentEnded(undefined);
  }

  /** After a prompt was taken: if no run begins, there was nothing to run. */
  async checkStarted(): Promise<void> {
    if (this.#running || !this.#open) return;
    this.#settleWhenAtRest();
  }

  /** Not awaited by the reader: the answer comes through it. */
  #settleWhenAtRest(): void {
    const signs = this.#signs;
    const check = async () => {
      const state = await this.#host.readState();
      const isStale = signs !== this.#signs || !this.#open;
      if (isStale || state.isStreaming || state.isCompacting) return;
      await this.#finish();
    };
    // If the process is gone meanwhile, its end ends the turn.
    check().catch(() => undefined);
  }

  async #finish(): Promise<void> {
    this.#open = false;
    this.#running = false;
    await this.#host.ended();
  }
}
