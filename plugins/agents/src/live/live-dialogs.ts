import { createIdentifier, type Clock, type Log } from "@gantry/plugin";
import { DialogClosed, DialogOpened, type AgentDialog } from "../contract.ts";
import type { AgentSession, DialogAnswer, DriverDialog } from "../driver.ts";
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
  /** Whether the agent has work in the background. */
  isWorking(): boolean;
  /** The run that answers in place of the user, if there is one. */
  watch(): RunWatch | undefined;
  /** Aborts with the session. */
  signal: AbortSignal;
  /** Aborts when the plugin stops. */
  stopping: AbortSignal;
}

/** The questions of an open agent: asked, answered once, and closed when the CLI no longer waits. */
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
   * Answers a question. A client that leaves meanwhile does not take its answer back.
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
    // Taken before anything is awaited: of two answers at once, one comes too late.
    this.#dialogs.take(dialogId);
    const { session, signal } = this.#host;
    try {
      await session().answer(open.asked.id, answer, signal);
    } catch (cause) {
      // Its end closes the question for all.
      this.#dialogs.restore(open);
      throw signal.aborted
        ? errors.DIALOG_CLOSED({ dialogId }, { cause })
        : cause;
    }
    await this.#ended(open.shown, words);
  }

  /** Rejects a question of a turn that is over without asking the user. The CLI still gets an answer. */
  refuse(asked: DriverDialog): void {
    this.#tell(asked, { kind: "cancelled" });
  }

  /** The CLI does not wait for an answer any more. */
  async withdraw(askedId: string): Promise<void> {
    const dialogId = this.#dialogs.idOf(askedId);
    const open =
      dialogId === undefined ? undefined : this.#dialogs.take(dialogId);
    if (open) await this.#ended(open.shown, null);
  }

  /** Closes all of them; a CLI that is still there gets a cancelled answer. */
  async closeAll(): Promise<void> {
    for (const dialogId of this.#dialogs.ids) {
      const open = this.#dialogs.take(dialogId);
      if (!open) continue;
      this.#tell(open.asked, { kind: "cancelled" });
      await this.#ended(open.shown, null);
    }
  }

  async #answerFor(watch: RunWatch, asked: DriverDialog): Promise<void> {
    const { answer, words, isAllowed } = answerByPolicy(
      asked,
      watch.permissions,
    );
    // The conversation has the tool itself; only what was refused is news.
    if (isAllowed && isReport(asked, watch.permissions))
      return this.#tell(asked, answer);
    const text = toQuestionText(asked);
    watch.onAsked(text.title, isAllowed);
    this.#tell(asked, answer);
    const question = { id: createIdentifier("dlg"), kind: asked.kind, ...text };
    await this.#host.journal.append([this.#toEntry(question, words)]);
  }

  /** Not awaited: reading the CLI's output must not wait for its input. */
  #tell(asked: DriverDialog, answer: DialogAnswer): void {
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

  /** Adds an entry to the conversation. A disk that is full for it may still take the record of the agent. */
  async #note(entry: NewEntry): Promise<void> {
    const { journal, log } = this.#host;
    await journal.append([entry]).catch((error: unknown) => {
      const fields = { agent: journal.agentId };
      log.error("A question is missing in its conversation", fields, error);
    });
  }

  #activity(): AgentRecord["activity"] {
    if (this.shown.length > 0) return "waiting";
    const { turnId, isWorking } = this.#host;
    return turnId() === null && !isWorking() ? "idle" : "working";
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
