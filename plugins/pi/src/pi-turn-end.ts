import type { PiState } from "./pi-wire.ts";

/** Dependencies of {@link PiTurnEnd}. */
export interface PiTurnEndHost {
  /** This version is known to send `agent_settled` when it is idle. */
  settles: boolean;
  readState(): Promise<PiState>;
  started(): Promise<void>;
  ended(): Promise<void>;
}

/**
 * Detects when pi is idle. Newer versions report it. Older ones end a run with `agent_end` and may then retry or
 * compact, which they announce before they answer any other command. So their state is requested; if nothing was
 * announced before the answer and pi is idle, the turn has ended.
 */
export class PiTurnEnd {
  readonly #host: PiTurnEndHost;
  #settles: boolean;
  /** Whether a prompt was sent or a run is in progress. */
  #open = false;
  #running = false;
  /** Increases with each sign of activity, so that an earlier request is known to be outdated. */
  #signs = 0;

  constructor(host: PiTurnEndHost) {
    this.#host = host;
    this.#settles = host.settles;
  }

  expect(): void {
    // Earlier requests concern an earlier turn, however late their answers arrive.
    this.#signs += 1;
    this.#open = true;
  }

  /** The prompt was refused. Returns whether a run is in progress nevertheless. */
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
    // Lines before the start of a prompt's run belong to an earlier run.
    if (!this.#running || this.#settles || willRetry) return;
    this.#settleWhenAtRest();
  }

  async settled(): Promise<void> {
    this.#settles = true;
    // Lines before the start of a prompt's run belong to an earlier run.
    if (this.#running) await this.#finish();
  }

  /** A retry or a compaction: the run continues. */
  continues(): void {
    this.#signs += 1;
  }

  async compacted(): Promise<void> {
    await this.agentEnded(undefined);
  }

  /** Called after a prompt was accepted: if no run starts, there was nothing to run. */
  async checkStarted(): Promise<void> {
    if (this.#running || !this.#open) return;
    this.#settleWhenAtRest();
  }

  /** Not awaited by the reader, since the answer arrives through it. */
  #settleWhenAtRest(): void {
    const signs = this.#signs;
    const check = async () => {
      const state = await this.#host.readState();
      const isStale = signs !== this.#signs || !this.#open;
      if (isStale || state.isStreaming || state.isCompacting) return;
      await this.#finish();
    };
    // If the process has ended meanwhile, that ends the turn.
    check().catch(() => undefined);
  }

  async #finish(): Promise<void> {
    this.#open = false;
    this.#running = false;
    await this.#host.ended();
  }
}
