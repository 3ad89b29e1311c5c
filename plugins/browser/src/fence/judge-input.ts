import type { CallRefusal } from "./call-refusal.ts";

/** Bits of `modifiers`. */
const CONTROL = 2;
const META = 4;
const SHIFT = 8;

/** Windows key codes of C, V, X and Insert, which access the clipboard together with Control or Meta. */
const WITH_CONTROL = {
  codes: new Set([67, 86, 88, 45]),
  names: /^(c|v|x|insert|key[cvx])$/i,
};
/** Those of Insert and Delete, which paste and cut together with Shift. */
const WITH_SHIFT = { codes: new Set([45, 46]), names: /^(insert|delete)$/i };

/**
 * Judges input below the tier `full`: it must not read or change the clipboard, which in a tab lent by the user is the
 * user's own.
 */
export function judgeInput(
  method: string,
  params: Readonly<Record<string, unknown>>,
): CallRefusal | undefined {
  if (method === "Input.dispatchKeyEvent" && isClipboardKey(params))
    return toRefusal("the clipboard");
  // On Linux the middle button pastes the last selection, from any page.
  if (method === "Input.dispatchMouseEvent" && isMiddleButton(params))
    return toRefusal("the middle mouse button");
  return undefined;
}

const toRefusal = (what: string): CallRefusal => ({
  reason: `${what} needs the level "full"`,
  cause: "tier",
  tier: "full",
});

function isMiddleButton({
  button,
  buttons,
}: Readonly<Record<string, unknown>>) {
  return button === "middle" || (Number(buttons ?? 0) & 4) !== 0;
}

function isClipboardKey(params: Readonly<Record<string, unknown>>): boolean {
  const { commands, modifiers } = params;
  if (commands !== undefined) {
    if (!Array.isArray(commands)) return true;
    if (commands.some((each) => /paste|copy|cut|yank/i.test(String(each))))
      return true;
  }
  const bits = Number(modifiers ?? 0);
  return (
    ((bits & (CONTROL | META)) !== 0 && isKey(params, WITH_CONTROL)) ||
    ((bits & SHIFT) !== 0 && isKey(params, WITH_SHIFT))
  );
}

function isKey(
  params: Readonly<Record<string, unknown>>,
  { codes, names }: typeof WITH_CONTROL,
): boolean {
  const { windowsVirtualKeyCode, nativeVirtualKeyCode } = params;
  const texts = ["key", "code", "text", "unmodifiedText", "keyIdentifier"];
  return (
    codes.has(Number(windowsVirtualKeyCode)) ||
    codes.has(Number(nativeVirtualKeyCode)) ||
    texts.some((name) => names.test(String(params[name] ?? "")))
  );
}
