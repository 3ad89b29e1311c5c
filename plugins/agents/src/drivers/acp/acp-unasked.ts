import { createIdentifier, type Clock } from "@gantry/plugin";
import type { TurnNews } from "../event-chain.ts";
import { Quiet } from "../quiet.ts";
import type { OpenTurn } from "./acp-reports.ts";
import { AcpTurn } from "./acp-turn.ts";

/** A turn that the agent began by itself is over when nothing came for so long; nothing on the wire tells its end. */
const QUIET_MS = 1000;
/** Factor of the wait while a tool runs. */
const MAX_WAITS = 60;

/** Dependencies of {@link AcpUnasked}. */
export interface AcpUnaskedHost {
  clock: Clock;
  emit(turn: string, event: TurnNews): Promise<void>;
  /** Whether the agent waits for the answer to a question. */
  isAsking(): boolean;
  /** Ends the turn; gives how. */
  end(turn: OpenTurn): Promise<TurnNews | undefined>;
  /** Aborts when the process is gone. */
  gone(): AbortSignal;
}

/** Turns of what an agent says or does outside of prompts. */
export class AcpUnasked {
  /** Resolves when there is no such turn. */
  ended: Promise<unknown> = Promise.resolve();
  readonly #host: AcpUnaskedHost;
  readonly #quiet: Quiet;
  #ending = new AbortController();

  constructor(host: AcpUnaskedHost) {
    this.#host = host;
    this.#quiet = new Quiet(host.clock, QUIET_MS);
  }

  /** Something was said or done. */
  heard(): void {
    this.#quiet.heard();
  }

  /** Ends the turn, if there is one. */
  stop(): void {
    this.#ending.abort();
  }

  /** @param before The turn before, which may have left tools running. */
  begin(before: AcpTurn | undefined): { turn: OpenTurn; told: Promise<void> } {
    const id = createIdentifier("trn");
    const emit = (event: TurnNews) => this.#host.emit(id, event);
    const parts = new AcpTurn(emit);
    if (before) parts.takeOver(before);
    const turn: OpenTurn = {
      ...{ id, parts, isCancelled: false, isAnswered: true },
      accepted: () => undefined,
    };
    this.#ending = new AbortController();
    this.ended = this.#follow(turn, emit);
    return { turn, told: emit({ type: "turn-started" }) };
  }

  async #follow(
    turn: OpenTurn,
    emit: (event: TurnNews) => Promise<void>,
  ): Promise<void> {
    const signal = AbortSignal.any([this.#ending.signal, this.#host.gone()]);
    await this.#untilQuiet(turn, signal);
    const end = await this.#host.end(turn);
    // The receiver of the events reports its failures.
    if (end) await emit(end).catch(() => undefined);
  }

  /** A tool that runs, or a question that waits, may be silent for longer. */
  async #untilQuiet(turn: OpenTurn, ending: AbortSignal): Promise<void> {
    for (let waits = 0; waits < MAX_WAITS;) {
      await this.#quiet.until(ending);
      if (ending.aborted) return;
      const isAsking = this.#host.isAsking();
      if (!turn.parts.hasTool && !isAsking) return;
      if (!isAsking) waits += 1;
    }
  }
}
