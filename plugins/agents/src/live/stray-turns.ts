import { createIdentifier, type Clock, type Disposer } from "@gantry/plugin";
import type { AgentJournal } from "./agent-journal.ts";
import type { TurnEnd } from "./delivery.ts";
import type { LiveTurns } from "./live-turns.ts";
import type { Turn } from "./turn.ts";
import { growTurn, type GrowingEvent } from "./turn-growth.ts";

/** A stray turn is over when nothing came for so long; with a tool that runs, for longer. */
const QUIET_MS = 1000;
const TOOL_QUIET_MS = 60_000;

/** Dependencies of {@link StrayTurns}. */
export interface StrayTurnsHost {
  turns: LiveTurns;
  journal: AgentJournal;
  clock: Clock;
  /** Something went wrong without a caller. */
  failed(error: unknown): void;
}

/** Turns of what an agent says or does outside of turns. Nothing on the wire tells where they end. */
export class StrayTurns {
  readonly #host: StrayTurnsHost;
  #turn: Turn | undefined;
  #stopTimer: Disposer = () => undefined;

  constructor(host: StrayTurnsHost) {
    this.#host = host;
  }

  /** Whether the turn that runs is a stray one. */
  get isOpen(): boolean {
    return this.#turn !== undefined && this.#turn === this.#host.turns.current;
  }

  async take(event: GrowingEvent): Promise<void> {
    const { turns, journal } = this.#host;
    if (!this.isOpen)
      this.#turn = await turns.beginUnasked(createIdentifier("trn"));
    const turn = this.#turn;
    if (!turn) return;
    await growTurn(turn, event, journal);
    this.#wait(turn);
  }

  /** Ends the stray turn that runs. */
  async end(end: Partial<TurnEnd> = {}): Promise<void> {
    const turn = this.#turn;
    this.#stopTimer();
    if (!turn || !this.isOpen) return;
    await this.#host.journal.append(turn.completeAll());
    const given = { stopReason: "end", error: null, ...end } as const;
    await this.#host.turns.finish(turn, {
      ...given,
      answer: end.answer || turn.said,
    });
  }

  #wait(turn: Turn): void {
    this.#stopTimer();
    const ms = turn.hasTool ? TOOL_QUIET_MS : QUIET_MS;
    this.#stopTimer = this.#host.clock.after(ms, () => {
      if (this.#turn !== turn) return;
      this.end().catch((error: unknown) => this.#host.failed(error));
    });
  }
}
