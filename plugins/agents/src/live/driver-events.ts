import { createIdentifier } from "@gantry/plugin";
import { AgentChecklistChanged } from "../contract.ts";
import type { DriverEvent } from "../driver.ts";
import type { AgentJournal } from "./agent-journal.ts";
import type { ContextMeter } from "./context-meter.ts";
import type { Jobs } from "./jobs.ts";
import type { LiveDialogs } from "./live-dialogs.ts";
import type { LiveHost } from "./live-host.ts";
import type { LiveTurns } from "./live-turns.ts";
import { StrayTurns } from "./stray-turns.ts";
import type { Turn } from "./turn.ts";
import type { TurnAccounts } from "./turn-accounts.ts";
import { growTurn, type GrowingEvent } from "./turn-growth.ts";

/** Dependencies of {@link DriverEvents} beside the plugin's. */
export interface DriverEventsParts {
  journal: AgentJournal;
  accounts: TurnAccounts;
  context: ContextMeter;
  dialogs: LiveDialogs;
  turns: LiveTurns;
  jobs: Jobs;
  /** Whether the process is being ended by us. */
  isClosing(): boolean;
}

/** Takes what a driver tells. */
export class DriverEvents {
  readonly #host: LiveHost;
  readonly #parts: DriverEventsParts;
  readonly #strays: StrayTurns;

  constructor(host: LiveHost, parts: DriverEventsParts) {
    this.#host = host;
    this.#parts = parts;
    const { journal, turns } = parts;
    const { clock, log } = host;
    this.#strays = new StrayTurns({
      ...{ journal, turns, clock },
      failed: (error) =>
        log.error(
          "A turn could not be ended",
          { agent: journal.agentId },
          error,
        ),
    });
  }

  async take(event: DriverEvent): Promise<void> {
    const { journal, accounts, context, dialogs, turns } = this.#parts;
    const turn = turns.current;
    switch (event.type) {
      case "model":
        accounts.model = event.model;
        return context.named(event.model);
      case "context":
        return await context.take(event);
      case "commands": {
        const commands = [...event.commands];
        return await this.#host.notes.change(journal.agentId, () => ({
          commands,
        }));
      }
      case "session": {
        const { sessionId, resumeKey } = event;
        await journal.noteSession(event, false);
        return await journal.save({ sessionId, resumeKey, context: null });
      }
      case "usage":
        return await accounts.spend(turn, event);
      case "dialog-opened":
        if (this.#isLate(event)) return dialogs.refuse(event.dialog);
        if (turn) turn.hasWorked = true;
        return await dialogs.ask(event.dialog);
      case "dialog-closed":
        return await dialogs.withdraw(event.dialogId);
      case "plan":
        return this.#isLate(event) ? undefined : await this.#plan(event);
      case "notice":
        return await journal.notice(event.text, turn?.id);
      case "work-started":
        return this.#parts.jobs.started(event.work);
      case "work-ended":
        return this.#parts.jobs.over(event.workId);
      case "windows":
        return this.#host.windows.set(journal.agent.cli, event.windows);
      case "turn-started": {
        const id = event.turn ?? createIdentifier("trn");
        if (turns.hasBegun(id)) return;
        if (this.#strays.isOpen) await this.#strays.end();
        if (turns.current === undefined) await turns.beginUnasked(id);
        return;
      }
      case "turn-ended":
        if (this.#strays.isOpen) return await this.#strays.end(event);
        if (!turn || this.#isLate(event) || this.#isGivenUp(turn, event))
          return;
        return await turns.finish(turn, event);
      default:
        return await this.#grow(event);
    }
  }

  /** What is said outside of turns becomes a turn of its own. While another turn runs, it would be read as that one's. */
  async #grow(event: GrowingEvent): Promise<void> {
    const { turns, journal, jobs, isClosing } = this.#parts;
    const turn = turns.current;
    if (this.#strays.isOpen || (!turn && !isClosing()))
      return await this.#strays.take(event);
    if (!turn || this.#isLate(event)) return;
    if (event.type === "tool-ended") jobs.toldModel(turn);
    await growTurn(turn, event, journal);
  }

  /**
   * Whether a CLI gave its turn up because we end its process. The result of the turn is decided when the process is gone: it is
   * cut off, or its prompt waits to be sent again.
   */
  #isGivenUp(turn: Turn, { stopReason }: { stopReason: string }): boolean {
    const isOver = stopReason === "end" || stopReason === "refused";
    return this.#parts.isClosing() && !turn.isStopped && !isOver;
  }

  /** Drivers that were built before events had a turn give none; theirs is the turn that runs. */
  #isLate({ turn }: { turn?: string | null }): boolean {
    const { current } = this.#parts.turns;
    return turn !== undefined && turn !== null && turn !== current?.id;
  }

  async #plan({
    items,
  }: Extract<DriverEvent, { type: "plan" }>): Promise<void> {
    const { journal } = this.#parts;
    const checklist = [...items];
    await this.#host.notes.change(journal.agentId, () => ({ checklist }), [
      AgentChecklistChanged.of(journal.agentId, { items: checklist.length }),
    ]);
    journal.publish("checklist", { items: checklist });
  }
}
