import {
  isCopy,
  toKeyMessage,
  toViewCommand,
  type ViewCommand,
} from "./keyMessages.ts";
import type { KeyMessage, ViewerMessage } from "./viewMessages.ts";

/** Callbacks for keys and text. */
export interface KeyboardInputOptions {
  isMac: boolean;
  send(message: ViewerMessage): void;
  run(command: ViewCommand): void;
}

/** Listeners of the text field that takes keys, composed text and pastes for a page. */
export interface KeyboardInput {
  keydown(event: KeyboardEvent): void;
  keyup(event: KeyboardEvent): void;
  input(event: InputEvent): void;
  compositionupdate(event: CompositionEvent): void;
  compositionend(event: CompositionEvent): void;
  paste(event: ClipboardEvent): void;
  focus(event: FocusEvent): void;
  /** Releases all held keys. */
  blur(): void;
  /** Presses and releases a key that phone keyboards do not have. */
  press(key: string, code: string): void;
}

const MAX_PASTE_CHARACTERS = 50_000;

/** Converts the events of a text field into messages to the page. */
export function createKeyboardInput(
  options: KeyboardInputOptions,
): KeyboardInput {
  const held = new Map<string, KeyMessage>();
  const { send } = options;

  /** The field always contains a space: phones report Backspace only when there is something to delete. */
  function reset(event: Event): void {
    const field = event.target as HTMLTextAreaElement;
    field.value = " ";
    field.setSelectionRange(1, 1);
  }
  function press(key: string, code: string, text?: string): void {
    const message = {
      type: "key",
      key,
      code,
      modifiers: 0,
      location: 0,
    } as const;
    send({ ...message, kind: "down", ...(text !== undefined && { text }) });
    send({ ...message, kind: "up" });
  }

  return {
    press: (key, code) => press(key, code, key === "Enter" ? "\r" : undefined),
    keydown(event) {
      const command = toViewCommand(event, options.isMac);
      if (command) {
        event.preventDefault();
        options.run(command);
        return;
      }
      const message = toKeyMessage(event, "down", options.isMac);
      if (!message) return;
      event.preventDefault();
      // Sent before the key, which may cut the selection.
      if (isCopy(event)) send({ type: "copy" });
      held.set(event.code, message);
      send(message);
    },
    keyup(event) {
      const down = held.get(event.code);
      if (!down) return;
      held.delete(event.code);
      event.preventDefault();
      const up = toKeyMessage(event, "up", options.isMac);
      send(up ?? { ...down, kind: "up", text: undefined });
    },
    input(event) {
      if (event.isComposing) return;
      const { inputType, data } = event;
      if (inputType === "deleteContentBackward")
        press("Backspace", "Backspace");
      else if (inputType === "insertLineBreak") press("Enter", "Enter", "\r");
      else if (data) send({ type: "text", text: data });
      reset(event);
    },
    compositionupdate: ({ data }) => send({ type: "compose", text: data }),
    compositionend(event) {
      send({ type: "text", text: event.data });
      reset(event);
    },
    paste(event) {
      event.preventDefault();
      const text = event.clipboardData?.getData("text/plain") ?? "";
      if (text !== "")
        send({ type: "text", text: text.slice(0, MAX_PASTE_CHARACTERS) });
    },
    focus: reset,
    blur() {
      for (const down of held.values())
        send({ ...down, kind: "up", text: undefined });
      held.clear();
    },
  };
}
