import {
  type AgentSession,
  type CompactOutcome,
  raceAbort,
} from "@gantry/agent-kit";
import { errors } from "../errors.ts";
import type { AgentJournal } from "./agent-journal.ts";

/** Compaction of a conversation, which runs outside of turns. Messages wait meanwhile. */
export class LiveCompaction {
  readonly #journal: AgentJournal;
  readonly #closed: AbortSignal;
  #running: Promise<void> | undefined;

  /** @param closed Aborts when the agent is closed. */
  constructor(journal: AgentJournal, closed: AbortSignal) {
    this.#journal = journal;
    this.#closed = closed;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Resolves when the compaction has ended and {@link isRunning} is false; at once if there is none. */
  get settled(): Promise<void> {
    return this.#running ?? Promise.resolve();
  }

  /**
   * Compacts the conversation. An abort of `signal` ends the wait, not the compaction: a CLI continues one that it has
   * begun, and a message sent meanwhile would be lost.
   *
   * @param rest Called when the agent can take messages again.
   * @throws AGENT_UNSUPPORTED, and the CLI's error if it failed
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
    // If the next write fails, no other handler catches a rejection.
    compacting.catch(() => undefined);
    await this.#journal.save({ activity: "working" });
    const outcome = await raceAbort(compacting, this.#closed);
    await this.#journal.notice(describe(outcome));
    return outcome;
  }
}

function describe(outcome: CompactOutcome): string {
  if (!outcome.compacted) return "There was nothing to compact.";
  const { tokensBefore, tokensAfter } = outcome;
  return tokensBefore === null || tokensAfter === null
    ? "The conversation was compacted."
    : `The conversation was compacted from ${tokensBefore} to ${tokensAfter} tokens.`;
}
