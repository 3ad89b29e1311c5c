import type { Clock } from "@gantry/plugin";
import type { ProtocolEvent } from "../protocol/protocol-connection.ts";
import type { PageDialog } from "./tab.ts";
import type { TabPart, TabSession } from "./tab-session.ts";

/** A page with an open dialog is blocked, so the dialog is dismissed after this time. */
export const DIALOG_MS = 60_000;
const MAX_MESSAGE_CHARS = 4_000;

/** The dialogs of one tab. */
export class Dialogs implements TabPart {
  readonly #session: TabSession;
  readonly #clock: Clock;
  readonly #onChange: (dialog: PageDialog | null) => void;
  #open: PageDialog | null = null;
  #stopTimer = () => {};

  constructor(
    session: TabSession,
    clock: Clock,
    onChange: (dialog: PageDialog | null) => void,
  ) {
    this.#session = session;
    this.#clock = clock;
    this.#onChange = onChange;
  }

  take({ method, params }: ProtocolEvent): void {
    if (method === "Page.javascriptDialogOpening") {
      const { type, message, defaultPrompt } = params as {
        type: PageDialog["kind"];
        message: string;
        defaultPrompt?: string;
      };
      this.#set({
        kind: type,
        message: message.slice(0, MAX_MESSAGE_CHARS),
        defaultText: (defaultPrompt ?? "").slice(0, MAX_MESSAGE_CHARS),
      });
      this.#stopTimer = this.#clock.after(DIALOG_MS, () => this.answer(false));
    }
    // Another session, such as an agent's, may have answered it already.
    if (method === "Page.javascriptDialogClosed") this.#set(null);
  }

  answer(accept: boolean, text?: string): void {
    if (!this.#open) return;
    this.#session.post("Page.handleJavaScriptDialog", {
      accept,
      ...(text !== undefined && { promptText: text }),
    });
  }

  close(): void {
    this.#stopTimer();
  }

  #set(dialog: PageDialog | null): void {
    this.#stopTimer();
    this.#open = dialog;
    this.#onChange(dialog);
  }
}
