import { shallowRef, type ShallowRef } from "vue";
import { isApple, matches, parseKeys, type KeyPress } from "./parseKeys.ts";

/** A shortcut of the keyboard. */
export interface Shortcut {
  /** What it does, for the help that `?` opens. Without it the help does not list it. */
  label?: string;
  /** Heading in the help. */
  group?: string;
  run: (event: KeyboardEvent) => void;
  /** Leaves the key alone while this is false. */
  when?: () => boolean;
  /** Also while a dialog is open. */
  inDialogs?: boolean;
}

/** A shortcut with its keys, as the registry holds it. */
export interface RegisteredShortcut extends Shortcut {
  readonly keys: string;
  readonly presses: readonly KeyPress[];
}

/** All shortcuts that are in force. */
export interface ShortcutRegistry {
  readonly shortcuts: Readonly<ShallowRef<readonly RegisteredShortcut[]>>;
  /** Puts shortcuts in force. Of two with the same keys the one that came last wins. */
  add(shortcuts: Readonly<Record<string, Shortcut>>): () => void;
  /** Begins to listen to the keyboard. */
  listen(): () => void;
}

const sequenceMs = 1_000;

/** Makes a registry; `fail` gets what a shortcut throws. */
export function createShortcutRegistry(
  fail: (error: unknown) => void,
): ShortcutRegistry {
  const shortcuts = shallowRef<readonly RegisteredShortcut[]>([]);
  /** Shortcuts of several presses of which the first ones were just made. */
  let begun: { shortcut: RegisteredShortcut; done: number }[] = [];
  let begunAt = 0;

  function handle(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.isComposing || event.repeat) return;
    if (["Shift", "Control", "Alt", "Meta"].includes(event.key)) return;
    if (event.timeStamp - begunAt > sequenceMs) begun = [];
    const candidates = [
      ...begun,
      ...shortcuts.value
        .toReversed()
        .map((shortcut) => ({ shortcut, done: 0 })),
    ].filter(({ shortcut, done }) => {
      const press = shortcut.presses[done];
      return (
        press !== undefined &&
        matches(press, event) &&
        mayRun(shortcut, press, event)
      );
    });
    const complete = candidates.find(
      ({ shortcut, done }) => done + 1 === shortcut.presses.length,
    );
    begun = complete
      ? []
      : candidates.map(({ shortcut, done }) => ({ shortcut, done: done + 1 }));
    begunAt = event.timeStamp;
    if (!complete) return;
    event.preventDefault();
    try {
      complete.shortcut.run(event);
    } catch (error) {
      fail(error);
    }
  }

  return {
    shortcuts,
    add(map) {
      const added: RegisteredShortcut[] = Object.entries(map).map(
        ([keys, shortcut]) => ({
          ...shortcut,
          keys,
          presses: parseKeys(keys, isApple()),
        }),
      );
      shortcuts.value = [...shortcuts.value, ...added];
      return () => {
        shortcuts.value = shortcuts.value.filter(
          (shortcut) => !added.includes(shortcut),
        );
      };
    },
    listen() {
      document.addEventListener("keydown", handle);
      return () => document.removeEventListener("keydown", handle);
    },
  };
}

function mayRun(
  shortcut: RegisteredShortcut,
  press: KeyPress,
  event: KeyboardEvent,
): boolean {
  const target = event.target instanceof Element ? event.target : document.body;
  // A terminal needs every key for itself.
  if (target.closest('[data-shortcuts="off"]')) return false;
  const held = press.ctrl || press.meta || press.alt;
  if (!held && isTyping(target)) return false;
  if (
    !shortcut.inDialogs &&
    document.querySelector('[role="dialog"][data-state="open"]')
  )
    return false;
  return shortcut.when?.() ?? true;
}

function isTyping(target: Element): boolean {
  return (
    target.closest('[data-shortcuts="typing"]') !== null ||
    target.matches(
      "input:not([type=checkbox], [type=radio], [type=button]), textarea, select, [role=combobox]",
    ) ||
    (target instanceof HTMLElement && target.isContentEditable)
  );
}
