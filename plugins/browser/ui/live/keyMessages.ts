import { toModifiers } from "./pointerMessages.ts";
import type { KeyMessage } from "./viewMessages.ts";

/** Members of a keyboard event that are used. */
export type KeyLike = Pick<
  KeyboardEvent,
  | "key"
  | "code"
  | "location"
  | "isComposing"
  | "altKey"
  | "ctrlKey"
  | "metaKey"
  | "shiftKey"
> & { getModifierState(key: string): boolean };

/** Commands of Gantry's page that keys trigger instead of input to the tab. */
export type ViewCommand =
  "leave" | "address" | "find" | "reload" | "back" | "forward";

/** Keys whose text arrives in an `input` or `composition` event. */
const UNTYPED = new Set(["Unidentified", "Process", "Dead"]);
/** Together with Ctrl or Cmd these belong to the user's own browser. */
const OWN_KEYS = new Set(["t", "w", "n", "q", "Tab"]);
const ALT = 1;
const CTRL = 2;

const isPaste = (event: KeyLike) =>
  ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "v") ||
  (event.shiftKey && event.key === "Insert");

/** The command that a key triggers, or `undefined` if it is for the page in the picture. */
export function toViewCommand(
  event: KeyLike,
  isMac: boolean,
): ViewCommand | undefined {
  if (event.shiftKey && event.key === "F6") return "leave";
  if (event.key === "F5") return "reload";
  // On a Mac these move the cursor by a word.
  if (!isMac && event.altKey && event.key === "ArrowLeft") return "back";
  if (!isMac && event.altKey && event.key === "ArrowRight") return "forward";
  if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
    return undefined;
  const commands: Record<string, ViewCommand> = {
    l: "address",
    f: "find",
    r: "reload",
  };
  return commands[event.key.toLowerCase()];
}

/** Whether it is a shortcut for copying or cutting the selection. */
export const isCopy = (event: KeyLike): boolean =>
  (event.ctrlKey || event.metaKey) &&
  !event.altKey &&
  (event.key.toLowerCase() === "c" || event.key.toLowerCase() === "x");

/**
 * The message for a key, or `undefined` if its text arrives in another event (input methods, phones, pasting) or the
 * key belongs to the user's own browser.
 */
export function toKeyMessage(
  event: KeyLike,
  kind: KeyMessage["kind"],
  isMac: boolean,
): KeyMessage | undefined {
  if (event.isComposing || UNTYPED.has(event.key) || isPaste(event))
    return undefined;
  if (event.key === "F12") return undefined;
  const hasCommand = event.ctrlKey || event.metaKey;
  if (hasCommand && OWN_KEYS.has(event.key)) return undefined;
  let modifiers = toModifiers(event);
  const isCharacter = [...event.key].length === 1;
  // AltGr and the Option key select another character; with them a key is not a shortcut.
  const choosesCharacter =
    isCharacter &&
    (event.getModifierState("AltGraph") ||
      (isMac && event.altKey && !hasCommand));
  if (choosesCharacter) modifiers &= ~(ALT | CTRL);
  const isText =
    isCharacter && (choosesCharacter || !(hasCommand || event.altKey));
  const text = event.key === "Enter" ? "\r" : isText ? event.key : undefined;
  const { key, code, location } = event;
  return {
    type: "key",
    kind,
    key,
    code,
    modifiers,
    location,
    ...(kind === "down" && text !== undefined && { text }),
  };
}
