import type { TabSession } from "./tab-session.ts";
import type {
  KeyMessage,
  MouseMessage,
  TouchMessage,
} from "./view-messages.ts";
import { toVirtualKeyCode } from "./virtual-keys.ts";

const BUTTONS = ["left", "middle", "right", "back", "forward"] as const;
const MOUSE_TYPES = {
  move: "mouseMoved",
  down: "mousePressed",
  up: "mouseReleased",
  wheel: "mouseWheel",
} as const;
const TOUCH_TYPES = {
  start: "touchStart",
  move: "touchMove",
  end: "touchEnd",
  cancel: "touchCancel",
} as const;

/** Three clicks select a paragraph; more have no meaning. */
const MAX_CLICKS = 3;
/** Ctrl and Meta: a key with one of them is a shortcut, not text. */
const SHORTCUT_MODIFIERS = 2 | 4;

/** Sends a viewer's pointer, keyboard and text input to the page. */
export class TabInput {
  readonly #session: TabSession;
  #isMoving = false;
  #waitingMove: MouseMessage | undefined;

  constructor(session: TabSession) {
    this.#session = session;
  }

  mouse(message: MouseMessage): void {
    if (message.kind === "move") {
      // A busy page would process a queue of outdated moves; only the current pointer position matters.
      if (this.#isMoving) this.#waitingMove = message;
      else this.#move(message);
      return;
    }
    if (this.#waitingMove) this.#move(this.#waitingMove);
    this.#dispatch(message);
  }

  touch({ kind, points }: TouchMessage): void {
    this.#session.post("Input.dispatchTouchEvent", {
      type: TOUCH_TYPES[kind],
      // Chromium expects no points at the end, when all fingers are up.
      touchPoints: kind === "end" || kind === "cancel" ? [] : points,
    });
  }

  key({ kind, key, code, text, modifiers, location }: KeyMessage): void {
    const isShortcut = (modifiers & SHORTCUT_MODIFIERS) !== 0;
    const typed = kind === "down" && !isShortcut ? text : undefined;
    this.#session.post("Input.dispatchKeyEvent", {
      type: kind === "up" ? "keyUp" : typed ? "keyDown" : "rawKeyDown",
      key,
      code,
      modifiers,
      location,
      isKeypad: location === 3,
      windowsVirtualKeyCode: toVirtualKeyCode(key, code),
      ...(typed && { text: typed, unmodifiedText: typed }),
      // No window system turns this shortcut into an editing command here.
      ...(kind === "down" &&
        isShortcut &&
        key.toLowerCase() === "a" && { commands: ["selectAll"] }),
    });
  }

  /** Inserts pasted text, or the result of an input method. */
  text(text: string): void {
    this.#session.post("Input.insertText", { text });
  }

  /** Shows the text that an input method is composing. */
  compose(text: string): void {
    this.#session.post("Input.imeSetComposition", {
      text,
      selectionStart: text.length,
      selectionEnd: text.length,
    });
  }

  #move(message: MouseMessage): void {
    this.#waitingMove = undefined;
    this.#isMoving = true;
    this.#dispatch(message, () => {
      this.#isMoving = false;
      if (this.#waitingMove) this.#move(this.#waitingMove);
    });
  }

  #dispatch(message: MouseMessage, done?: () => void): void {
    const { kind, x, y, button, buttons, clicks, deltaX, deltaY, modifiers } =
      message;
    const hasButton = kind === "down" || kind === "up";
    // Without the held button, a move neither selects text nor drags.
    const pressed = hasButton ? BUTTONS[button] : toHeldButton(buttons);
    this.#session.post(
      "Input.dispatchMouseEvent",
      {
        type: MOUSE_TYPES[kind],
        x,
        y,
        button: pressed ?? "none",
        buttons,
        clickCount: hasButton ? Math.min(clicks, MAX_CLICKS) : 0,
        deltaX,
        deltaY,
        modifiers,
        pointerType: "mouse",
      },
      done,
    );
  }
}

/** The first held button, from the bits of a pointer event. */
function toHeldButton(buttons: number): (typeof BUTTONS)[number] | undefined {
  if (buttons & 1) return "left";
  if (buttons & 2) return "right";
  return buttons & 4 ? "middle" : undefined;
}
