import { isDeepStrictEqual } from "node:util";
import type { AgentSession } from "../driver.ts";
import type { ContextFill } from "../driver-reports.ts";
import type { AgentJournal } from "./agent-journal.ts";

/** Keeps the record of an open agent in step with how full the model's context is. */
export class ContextMeter {
  readonly #journal: AgentJournal;
  /** Reported before the agent was open. */
  #early: ContextFill | null = null;
  /** The model that the CLI named last. */
  #model: string | undefined;
  /** The size in the record may be that of an earlier model. */
  #isSizeStale = false;

  constructor(journal: AgentJournal) {
    this.#journal = journal;
  }

  /** The CLI names the model that answers from now on. */
  named(model: string): void {
    this.#isSizeStale ||= this.#model !== undefined && this.#model !== model;
    this.#model = model;
  }

  /** What the record is to hold once a session is open. */
  of({ sessionId }: AgentSession): ContextFill | null {
    const { agent } = this.#journal;
    const known = sessionId === agent.sessionId ? agent.context : null;
    return this.#early ?? known;
  }

  /** Takes a report. One that changes nothing is not stored. */
  async take({ usedTokens, sizeTokens }: ContextFill): Promise<void> {
    const { state, context } = this.#journal.agent;
    const known = this.#isSizeStale ? null : (context?.sizeTokens ?? null);
    const next = { usedTokens, sizeTokens: sizeTokens ?? known };
    // Stored with the session, which may be another one than the record names.
    if (state !== "open") return void (this.#early = next);
    if (!isDeepStrictEqual(context, next))
      await this.#journal.save({ context: next });
  }
}
