import { ToolProblem } from "./tool-problem.ts";

/** Named keys with their legacy key codes, which some pages read. */
const NAMED_KEYS: Readonly<Record<string, number>> = {
  Enter: 13,
  Tab: 9,
  Escape: 27,
  Backspace: 8,
  Delete: 46,
  Insert: 45,
  Space: 32,
  ArrowUp: 38,
  ArrowDown: 40,
  ArrowLeft: 37,
  ArrowRight: 39,
  Home: 36,
  End: 35,
  PageUp: 33,
  PageDown: 34,
  F1: 112,
  F2: 113,
  F3: 114,
  F4: 115,
  F5: 116,
  F6: 117,
  F7: 118,
  F8: 119,
  F9: 120,
  F10: 121,
  F11: 122,
  F12: 123,
};

/** Modifier bits of the DevTools protocol. */
const MODIFIERS: Readonly<Record<string, number>> = {
  Alt: 1,
  Control: 2,
  Ctrl: 2,
  Meta: 4,
  Shift: 8,
};

const CONTROL_OR_META = 2 | 4;

/** A key press as `Input.dispatchKeyEvent` takes it. */
export interface KeyPress {
  down: Record<string, unknown>;
  up: Record<string, unknown>;
}

/**
 * Parses a key with its modifiers, such as `Enter`, `a` or `Control+Shift+ArrowLeft`.
 *
 * @throws ToolProblem for a key that does not exist
 */
export function toKeyPress(text: string): KeyPress {
  const parts =
    text === "+"
      ? ["+"]
      : text.endsWith("++")
        ? [...text.slice(0, -2).split("+"), "+"]
        : text.split("+");
  const name = parts.pop() ?? "";
  const modifiers = parts.reduce((sum, part) => sum | toModifier(part), 0);
  const code = Object.hasOwn(NAMED_KEYS, name) ? NAMED_KEYS[name] : undefined;
  if (code === undefined && [...name].length !== 1)
    throw new ToolProblem(
      `There is no key "${name}". Keys are single characters, ${Object.keys(NAMED_KEYS).join(", ")}, with Control+, Shift+, Alt+ or Meta+ before them.`,
    );
  const key = name === "Space" ? " " : name;
  const isPlain = (modifiers & CONTROL_OR_META) === 0;
  const typed =
    name === "Enter" ? "\r" : key.length === 1 && isPlain ? key : undefined;
  const common = {
    key,
    code: toCode(name),
    windowsVirtualKeyCode: code ?? key.toUpperCase().charCodeAt(0),
    modifiers,
  };
  const selectsAll =
    (modifiers & CONTROL_OR_META) !== 0 && key.toLowerCase() === "a";
  return {
    down: {
      type: typed === undefined ? "rawKeyDown" : "keyDown",
      ...common,
      ...(typed !== undefined && { text: typed }),
      // No window system turns these keys into an editing command here, so the command is sent with the key.
      ...(selectsAll && { commands: ["selectAll"] }),
    },
    up: { type: "keyUp", ...common },
  };
}

function toModifier(name: string): number {
  const bit = Object.hasOwn(MODIFIERS, name) ? MODIFIERS[name] : undefined;
  if (bit === undefined)
    throw new ToolProblem(
      `"${name}" is no modifier; there are Control, Shift, Alt and Meta.`,
    );
  return bit;
}

function toCode(name: string): string {
  if (/^[a-z]$/i.test(name)) return `Key${name.toUpperCase()}`;
  if (/^\d$/.test(name)) return `Digit${name}`;
  return [...name].length === 1 ? "" : name;
}
