import { onScopeDispose } from "vue";
import { useKit } from "../internal/context.ts";
import type { Shortcut } from "./shortcutRegistry.ts";

/**
 * Puts shortcuts in force while the component lives. Keys without a modifier do nothing while the user types; an element with
 * `data-shortcuts="off"` round it, such as a terminal, keeps all keys for itself, and one with `data-shortcuts="typing"`, such
 * as a list in which letters are looked for, those without a modifier.
 *
 * @example
 * defineShortcuts({
 *   "n": { label: "New note", group: "Notes", run: () => create() },
 *   "mod+enter": { run: () => submit() },
 * });
 */
export function defineShortcuts(
  shortcuts: Readonly<Record<string, Shortcut>>,
): void {
  onScopeDispose(useKit().shortcuts.add(shortcuts));
}
