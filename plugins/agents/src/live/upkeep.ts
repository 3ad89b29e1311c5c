import { raceAbort } from "../abort.ts";
import type { AgentSession, CompactOutcome } from "../driver.ts";
import { errors } from "../errors.ts";
import type { AgentJournal } from "./agent-journal.ts";
import type { ContextMeter } from "./context-meter.ts";

/** Work on a conversation outside of turns. Messages wait meanwhile. */
export class Upkeep {
  readonly #journal: AgentJournal;
  readonly #context: ContextMeter;
  readonly #closed: AbortSignal;
  #running: Promise<void> | undefined;

  /** @param closed Aborts when the agent is closed. */
  constructor(
    journal: AgentJournal,
    context: ContextMeter,
    closed: AbortSignal,
  ) {
    this.#journal = journal;
    this.#context = context;
    this.#closed = closed;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Resolves when nothing runs any more; at once if nothing does. Never before {@link isRunning} is false. */
  get settled(): Promise<void> {
    return this.#running ?? Promise.resolve();
  }

  /**
   * Shrinks the conversation. An abort of `signal` ends the waiting, not the work: a CLI that was told to shrink finishes it, and a
   * message sent in between would get lost.
   *
   * @param rest Called when messages may go out again.
   * @throws AGENT_UNSUPPORTED, and what the CLI said if it failed
   */
  async compact(
    session: AgentSession,
    rest: () => void,
    signal: AbortSignal,
  ): Promise<CompactOutcome> {
    if (!session.compact) {
      const { cli } = this.#journal.agent;
      throw errors.AGENT_UNSUPPORTED({ cli, capability: "compact" });
    }
    const compacting = session.compact(this.#closed);
    return await raceAbort(this.#follow(compacting, rest), signal);
  }

  async #follow(
    compacting: Promise<CompactOutcome>,
    rest: () => void,
  ): Promise<CompactOutcome> {
    const noted = this.#note(compacting).finally(() => {
      this.#running = undefined;
    });
    this.#running = noted.then(
      () => undefined,
      () => undefined,
    );
    try {
      return await noted;
    } finally {
      if (!this.#closed.aborted) {
        await this.#journal.save({ activity: "idle" });
        rest();
      }
    }
  }

  async #note(compacting: Promise<CompactOutcome>): Promise<CompactOutcome> {
    // A write that fails leaves it without another handler.
    compacting.catch(() => undefined);
    await this.#journal.save({ activity: "working" });
    const outcome = await raceAbort(compacting, this.#closed);
    await this.#journal.notice(describe(outcome));
    const { tokensAfter: usedTokens } = outcome;
    if (usedTokens !== null)
      await this.#context.take({ usedTokens, sizeTokens: null });
    return outcome;
  }
}

function describe(outcome: CompactOutcome): string {
  if (!outcome.compacted) return "There was nothing to shrink.";
  const { tokensBefore, tokensAfter } = outcome;
  return tokensBefore === null || tokensAfter === null
    ? "The conversation was shrunk."
    : `The conversation was shrunk from ${tokensBefore} to ${tokensAfter} tokens.`;
}
