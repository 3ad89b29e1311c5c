import type { DialogAnswer } from "../../driver.ts";
import type { SessionNews } from "../event-chain.ts";
import { toDialog, type ClaudeDialog } from "./claude-dialogs.ts";
import type { ClaudePermission } from "./claude-wire.ts";

/** Dependencies of {@link ClaudeQuestions}. */
export interface ClaudeQuestionsHost {
  send(line: object): Promise<void>;
  emit(event: SessionNews): Promise<void>;
}

/** What Claude Code asks and waits for. */
export class ClaudeQuestions {
  readonly #host: ClaudeQuestionsHost;
  readonly #dialogs = new Map<
    string,
    { requestId: string; open: ClaudeDialog }
  >();

  constructor(host: ClaudeQuestionsHost) {
    this.#host = host;
  }

  async ask(id: string, request: ClaudePermission | null): Promise<void> {
    if (request) return await this.#open(id, toDialog(id, request));
    // It asks for what only its own kits have.
    const error = "This client does not do that.";
    await this.#host.send({
      type: "control_response",
      response: { subtype: "error", request_id: id, error },
    });
  }

  async answer(dialogId: string, answer: DialogAnswer): Promise<void> {
    const dialog = this.#dialogs.get(dialogId);
    if (!dialog) return;
    this.#dialogs.delete(dialogId);
    const { requestId, open } = dialog;
    const next = open.take(answer);
    if ("behavior" in next) await this.respond(requestId, next);
    else await this.#open(requestId, next);
  }

  async withdraw(requestId: string): Promise<void> {
    for (const [dialogId, dialog] of this.#dialogs) {
      if (dialog.requestId !== requestId) continue;
      this.#dialogs.delete(dialogId);
      await this.#host.emit({ type: "dialog-closed", dialogId });
    }
  }

  respond(requestId: string, response: object): Promise<void> {
    return this.#host.send({
      type: "control_response",
      response: { subtype: "success", request_id: requestId, response },
    });
  }

  close(): void {
    this.#dialogs.clear();
  }

  async #open(requestId: string, open: ClaudeDialog): Promise<void> {
    this.#dialogs.set(open.dialog.id, { requestId, open });
    await this.#host.emit({ type: "dialog-opened", dialog: open.dialog });
  }
}
