import { onScopeDispose, ref, type Ref } from "vue";

/** Actions that the keys of the composer trigger. */
export interface ComposerActions {
  /** Enter; `second` with Ctrl or Command, for the second send option. */
  send(second: boolean): void;
  /** Esc, pressed twice. */
  stop(): void;
  /** Whether a turn is in progress that can be stopped. */
  canStop(): boolean;
  /** Esc while a question is open: focuses it. Returns whether there is one. */
  toQuestion(): boolean;
  /** Arrow up in an empty text: restores the last message. */
  recall(): void;
  isEmpty(): boolean;
  /** Passes a key to the open menu first. Returns whether the menu handled it. */
  inMenu(event: KeyboardEvent): boolean;
}

/** Time within which the second Esc has to follow. */
const DOUBLE_PRESS_MS = 1_500;

/** Handles the keys of the composer. `stopAsked` is true between the first Esc and the timeout for the second. */
export function useComposerKeys(actions: ComposerActions): {
  stopAsked: Readonly<Ref<boolean>>;
  onKey: (event: KeyboardEvent) => void;
  escape: () => void;
} {
  const stopAsked = ref(false);
  let timer: ReturnType<typeof setTimeout> | undefined;
  onScopeDispose(() => clearTimeout(timer));

  function escape(): void {
    clearTimeout(timer);
    if (!actions.canStop()) return;
    if (stopAsked.value) {
      stopAsked.value = false;
      actions.stop();
      return;
    }
    stopAsked.value = true;
    timer = setTimeout(() => (stopAsked.value = false), DOUBLE_PRESS_MS);
  }

  function onKey(event: KeyboardEvent): void {
    // During input-method composition Enter and Esc belong to the input method. Some browsers show this only by key code 229.
    if (event.isComposing || event.keyCode === 229) return;
    if (actions.inMenu(event)) {
      event.preventDefault();
    } else if (event.key === "Escape") {
      if (!stopAsked.value && actions.toQuestion()) return;
      escape();
    } else if (event.key === "Enter" && isSend(event)) {
      event.preventDefault();
      actions.send(event.ctrlKey || event.metaKey);
    } else if (
      event.key === "ArrowUp" &&
      actions.isEmpty() &&
      !event.shiftKey
    ) {
      event.preventDefault();
      actions.recall();
    }
  }

  return { stopAsked, onKey, escape };
}

/** On-screen keyboards have no Shift+Enter, so on touch screens Enter inserts a line break and only the button sends. */
function isSend(event: KeyboardEvent): boolean {
  if (event.shiftKey || event.altKey) return false;
  const held = event.ctrlKey || event.metaKey;
  return held || !window.matchMedia("(pointer: coarse)").matches;
}
