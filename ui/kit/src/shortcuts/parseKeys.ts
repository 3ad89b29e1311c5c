/** One press: the key and the modifiers that must be held. */
export interface KeyPress {
  /** Lower case, as `KeyboardEvent.key` names it. */
  key: string;
  ctrl: boolean;
  meta: boolean;
  alt: boolean;
  /** `undefined` where the key itself says it, as `?` does. */
  shift: boolean | undefined;
}

const names: Readonly<Record<string, string>> = {
  esc: "escape",
  space: " ",
  up: "arrowup",
  down: "arrowdown",
};

/** Tells whether this is a machine whose command key does what Ctrl does elsewhere. */
export function isApple(): boolean {
  return /mac|iphone|ipad/i.test(navigator.platform);
}

/**
 * Reads keys as people write them: presses one after the other are set apart by a space (`g a`), keys held together by
 * `+` (`mod+shift+n`). `mod` is Command on Apple machines and Ctrl elsewhere.
 */
export function parseKeys(keys: string, apple: boolean): KeyPress[] {
  return keys
    .trim()
    .toLowerCase()
    .split(/\s+/)
    .map((press) => {
      const parts = press === "+" ? ["+"] : press.split("+");
      const name = parts.at(-1) ?? "";
      const held = new Set(parts.slice(0, -1));
      const key = names[name] ?? name;
      return {
        key,
        ctrl: held.has("ctrl") || (held.has("mod") && !apple),
        meta: held.has("meta") || (held.has("mod") && apple),
        alt: held.has("alt"),
        shift: /^[^a-z0-9]$/.test(key) ? undefined : held.has("shift"),
      };
    });
}

/** Tells whether a key event is this press. */
export function matches(press: KeyPress, event: KeyboardEvent): boolean {
  return (
    event.key.toLowerCase() === press.key &&
    event.ctrlKey === press.ctrl &&
    event.metaKey === press.meta &&
    event.altKey === press.alt &&
    (press.shift === undefined || event.shiftKey === press.shift)
  );
}

/** The labels of the keys, press by press, for showing them. */
export function toLabels(keys: string, apple: boolean): string[][] {
  const special: Readonly<Record<string, string>> = {
    arrowup: "↑",
    arrowdown: "↓",
    enter: "↵",
    escape: "Esc",
    " ": "Space",
    backspace: "⌫",
  };
  return parseKeys(keys, apple).map((press) => [
    ...(press.ctrl ? [apple ? "⌃" : "Ctrl"] : []),
    ...(press.meta ? [apple ? "⌘" : "Meta"] : []),
    ...(press.alt ? [apple ? "⌥" : "Alt"] : []),
    ...(press.shift ? [apple ? "⇧" : "Shift"] : []),
    special[press.key] ??
      // A letter, and F8.
      (/^(.|f\d+)$/.test(press.key) ? press.key.toUpperCase() : press.key),
  ]);
}
