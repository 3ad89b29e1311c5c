import { createIdentifier, type Clock, type Log } from "@gantry/plugin";
import { DialogClosed, DialogOpened, type AgentDialog } from "../contract.ts";
import type {
  AgentSession,
  DialogAnswer,
  DriverDialog,
} from "@gantry/agent-kit";
import { errors } from "../errors.ts";
import type { AgentRecord } from "../records/agent-record.ts";
import { cutText, type NewEntry } from "../transcript/entry.ts";
import { untilStored } from "../until-stored.ts";
import type { AgentJournal } from "./agent-journal.ts";
import { answerByPolicy, Dialogs, isReport, readAnswer } from "./dialogs.ts";
import { toQuestionText } from "./question-text.ts";
import type { RunWatch } from "./run-watches.ts";

/** Dependencies of {@link LiveDialogs}. */
export interface LiveDialogsHost {
  journal: AgentJournal;
  clock: Clock;
  log: Log;
  session(): AgentSession;
  turnId(): string | null;
  /** The run whose policy answers in place of the user, if there is one. */
  watch(): RunWatch | undefined;
  /** Aborts with the session. */
  signal: AbortSignal;
  /** Aborts when the plugin stops. */
  stopping: AbortSignal;
}

/** The questions of an open agent: publishes them, passes on one answer each, and closes them. */
export class LiveDialogs {
  readonly #host: LiveDialogsHost;
  readonly #dialogs: Dialogs;

  constructor(host: LiveDialogsHost) {
    this.#host = host;
    this.#dialogs = new Dialogs(host.journal.agentId);
  }

  get shown(): AgentDialog[] {
    return this.#dialogs.shown;
  }

  async ask(asked: DriverDialog): Promise<void> {
    const watch = this.#host.watch();
    if (watch) return await this.#answerFor(watch, asked);
    const { journal } = this.#host;
    const shown = this.#dialogs.open(asked);
    const event = DialogOpened.of(journal.agentId, {
      ...shown,
      agentName: journal.agent.name,
    });
    await journal.save(
      { activity: "waiting", dialogs: this.shown },
      { events: [event] },
    );
    journal.publish("dialog-opened", shown);
  }

  /**
   * Answers a question. A client that disconnects meanwhile does not cancel its answer.
   *
   * @throws DIALOG_CLOSED, DIALOG_ANSWER_INVALID
   */
  async answer(
    dialogId: string,
    given: { optionId?: string; value?: string; cancelled?: boolean },
  ): Promise<void> {
    const open = this.#dialogs.get(dialogId);
    if (!open) throw errors.DIALOG_CLOSED({ dialogId });
    const { answer, words } = readAnswer(open, given);
    // Before the first await, so that only one of two concurrent answers is used.
    this.#dialogs.take(dialogId);
    const { session, signal } = this.#host;
    try {
      await session().answer(open.asked.id, answer, signal);
    } catch (cause) {
      // If the session ended, `closeAll` closes the restored question.
      this.#dialogs.restore(open);
      throw signal.aborted
        ? errors.DIALOG_CLOSED({ dialogId }, { cause })
        : cause;
    }
    await this.#ended(open.shown, words);
  }

  /** Answers a question of a turn that has ended with "cancelled", without asking the user. */
  refuse(asked: DriverDialog): void {
    this.#reply(asked, { kind: "cancelled" });
  }

  /** Closes a question that the CLI has withdrawn. */
  async withdraw(askedId: string): Promise<void> {
    const dialogId = this.#dialogs.idOf(askedId);
    const open =
      dialogId === undefined ? undefined : this.#dialogs.take(dialogId);
    if (open) await this.#ended(open.shown, null);
  }

  /** Closes all questions; a CLI that is still running gets the answer "cancelled". */
  async closeAll(): Promise<void> {
    for (const dialogId of this.#dialogs.ids) {
      const open = this.#dialogs.take(dialogId);
      if (!open) continue;
      this.#reply(open.asked, { kind: "cancelled" });
      await this.#ended(open.shown, null);
    }
  }

  async #answerFor(watch: RunWatch, asked: DriverDialog): Promise<void> {
    const { answer, words, isAllowed } = answerByPolicy(
      asked,
      watch.permissions,
    );
    // The conversation shows the call of the tool itself, so an allowed read is not recorded again.
    if (isAllowed && isReport(asked, watch.permissions))
      return this.#reply(asked, answer);
    const text = toQuestionText(asked);
    watch.onAsked(text.title, isAllowed);
    this.#reply(asked, answer);
    const question = { id: createIdentifier("dlg"), kind: asked.kind, ...text };
    await this.#host.journal.append([this.#toEntry(question, words)]);
  }

  /** Sends an answer without awaiting it, so that reading the CLI's output does not wait for its input. */
  #reply(asked: DriverDialog, answer: DialogAnswer): void {
    const { session, signal, log } = this.#host;
    if (signal.aborted) return;
    session()
      .answer(asked.id, answer, signal)
      .catch((error: unknown) =>
        log.debug("An agent did not take an answer", { reason: String(error) }),
      );
  }

  async #ended(shown: AgentDialog, answer: string | null): Promise<void> {
    const { journal } = this.#host;
    const closed = { dialogId: shown.id, answer };
    await this.#note(this.#toEntry(shown, answer));
    const event = DialogClosed.of(journal.agentId, closed);
    const save = () =>
      journal.save(
        { activity: this.#activity(), dialogs: this.shown },
        { events: [event] },
      );
    const { clock, log, stopping } = this.#host;
    await untilStored(save, { clock, log, signal: stopping });
    journal.publish("dialog-closed", closed);
  }

  /** Appends an entry to the conversation. A failure is logged, since the agent's record may still be writable. */
  async #note(entry: NewEntry): Promise<void> {
    const { journal, log } = this.#host;
    await journal.append([entry]).catch((error: unknown) => {
      const fields = { agent: journal.agentId };
      log.error(
        "A question could not be added to its conversation",
        fields,
        error,
      );
    });
  }

  #activity(): AgentRecord["activity"] {
    if (this.shown.length > 0) return "waiting";
    return this.#host.turnId() === null ? "idle" : "working";
  }

  #toEntry(
    {
      id,
      kind,
      title,
      body,
    }: Pick<AgentDialog, "id" | "kind" | "title" | "body">,
    answer: string | null,
  ): NewEntry {
    const text = body ? `${title}\n${body}` : title;
    return {
      turnId: this.#host.turnId(),
      role: "system",
      kind: "dialog",
      ...cutText(text),
      dialog: { id, kind, answer },
    };
  }
}
