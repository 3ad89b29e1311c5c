import { onScopeDispose, ref, type Ref } from "vue";

/** What the keys of the composer do. */
export interface ComposerActions {
  /** Enter, or with the command key held what is offered second. */
  send(second: boolean): void;
  /** Esc, twice. */
  stop(): void;
  /** Tells whether a turn runs that could be stopped. */
  canStop(): boolean;
  /** Esc while a question waits. Tells whether there is one. */
  toQuestion(): boolean;
  /** Arrow up in an empty text. */
  recall(): void;
  isEmpty(): boolean;
  /** A list over the text sees the keys first. Tells whether it took one. */
  inMenu(event: KeyboardEvent): boolean;
}

/** How long the first Esc counts. */
const twiceMs = 1_500;

/** Reads the keys of the composer. `stopAsked` is true after the first Esc. */
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
    timer = setTimeout(() => (stopAsked.value = false), twiceMs);
  }

  function onKey(event: KeyboardEvent): void {
    // While an input method composes, Enter and Esc are its own. Some browsers say so by the key code alone.
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

/** The keyboard of a phone has no Shift+Enter: its Enter makes a line, and the button sends. */
function isSend(event: KeyboardEvent): boolean {
  if (event.shiftKey || event.altKey) return false;
  const held = event.ctrlKey || event.metaKey;
  return held || !window.matchMedia("(pointer: coarse)").matches;
}
