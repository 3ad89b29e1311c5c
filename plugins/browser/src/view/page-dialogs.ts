import type { Clock } from "@gantry/plugin";
import type { ProtocolEvent } from "../protocol/protocol-connection.ts";
import { toText } from "../records/texts.ts";
import type { PageDialog } from "./view-messages.ts";
import type { TabPart, TabSession } from "./tab-session.ts";

/** How long a dialog waits for the person: a page with an open dialog does nothing else. */
export const ANSWER_MS = 60_000;
const MAX_MESSAGE_CHARS = 4_000;

/** The dialogs of one tab, which its viewers answer. */
export class PageDialogs implements TabPart {
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
        message: toText(message, MAX_MESSAGE_CHARS),
        defaultText: toText(defaultPrompt ?? "", MAX_MESSAGE_CHARS),
      });
      this.#stopTimer = this.#clock.after(ANSWER_MS, () =>
        this.answer(type === "beforeunload"),
      );
    }
    // Another session, such as an agent's, may have answered it already.
    if (method === "Page.javascriptDialogClosed") this.#set(null);
  }

  get current(): PageDialog | null {
    return this.#open;
  }

  answer(accept: boolean, text?: string): void {
    if (!this.#open) return;
    this.#session.post("Page.handleJavaScriptDialog", {
      accept,
      ...(text !== undefined && { promptText: text }),
    });
  }

  /** Dismisses an open dialog, which no viewer sees any longer. A page that asks whether it may be left is left. */
  close(): void {
    this.#stopTimer();
    this.answer(this.#open?.kind === "beforeunload");
    this.#open = null;
  }

  #set(dialog: PageDialog | null): void {
    this.#stopTimer();
    this.#open = dialog;
    this.#onChange(dialog);
  }
}
