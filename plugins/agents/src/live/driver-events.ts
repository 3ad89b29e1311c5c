import { createIdentifier } from "@gantry/plugin";
import { AgentChecklistChanged } from "../contract.ts";
import type { DriverEvent } from "@gantry/agent-kit";
import type { AgentJournal } from "./agent-journal.ts";
import type { LiveDialogs } from "./live-dialogs.ts";
import type { LiveHost } from "./live-host.ts";
import type { LiveTurns } from "./live-turns.ts";
import type { Turn } from "./turn.ts";
import type { TurnAccounts } from "./turn-accounts.ts";
import { growTurn } from "./turn-growth.ts";

/** Dependencies of {@link DriverEvents} that belong to one agent. */
export interface DriverEventsParts {
  journal: AgentJournal;
  accounts: TurnAccounts;
  dialogs: LiveDialogs;
  turns: LiveTurns;
  /** Whether the daemon is ending the process. */
  isClosing(): boolean;
}

/** Handles the events of a driver. Events of a turn that has ended are ignored. */
export class DriverEvents {
  readonly #host: LiveHost;
  readonly #parts: DriverEventsParts;

  constructor(host: LiveHost, parts: DriverEventsParts) {
    this.#host = host;
    this.#parts = parts;
  }

  async take(event: DriverEvent): Promise<void> {
    const { journal, accounts, dialogs, turns } = this.#parts;
    const turn = turns.current;
    switch (event.type) {
      case "model":
        accounts.model = event.model;
        return;
      case "commands": {
        const commands = [...event.commands];
        return await this.#host.notes.change(journal.agentId, () => ({
          commands,
        }));
      }
      case "session": {
        const { sessionId, resumeKey } = event;
        await journal.noteSession(event, false);
        return await journal.save({ sessionId, resumeKey });
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
      case "turn-started":
        if (turn || turns.hasBegun(event.turn)) return;
        return await turns.beginUnasked(event.turn ?? createIdentifier("trn"));
      case "turn-ended":
        if (!turn || this.#isLate(event) || this.#isGivenUp(turn, event))
          return;
        return await turns.finish(turn, event);
      default:
        if (!turn || this.#isLate(event)) return;
        return await growTurn(turn, event, journal);
    }
  }

  /**
   * Whether a CLI gave its turn up because the daemon is ending its process. Such a turn is settled when the process is
   * gone: it is cut off, or its prompt is queued again.
   */
  #isGivenUp(turn: Turn, { stopReason }: { stopReason: string }): boolean {
    const isOver = stopReason === "end" || stopReason === "refused";
    return this.#parts.isClosing() && !turn.isStopped && !isOver;
  }

  /** Whether an event belongs to a turn that has ended. An event of an older driver has no turn and belongs to the current one. */
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
