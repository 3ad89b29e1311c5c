import type { Refusal } from "../fence/rules.ts";

type Params = Readonly<Record<string, unknown>>;

/** Bits of `modifiers`. */
const CONTROL = 2;
const META = 4;
const SHIFT = 8;

/** C, V, X and Insert by their Windows key codes and names, which access the clipboard together with Control or Meta. */
const WITH_CONTROL = {
  codes: new Set([67, 86, 88, 45]),
  names: /^(c|v|x|insert|key[cvx])$/i,
};
/** Insert and Delete, which paste and cut together with Shift. */
const WITH_SHIFT = { codes: new Set([45, 46]), names: /^(insert|delete)$/i };

/** Judges input below the tier `full`, which must not read or change the clipboard: all tabs of a browser share it. */
export function judgeInput(method: string, params: Params): Refusal {
  if (method === "Input.dispatchKeyEvent" && isClipboardKey(params))
    return 'the clipboard needs the level "full"';
  // On Linux the middle button pastes the last selection, from any page.
  if (method === "Input.dispatchMouseEvent" && isMiddleButton(params))
    return 'the middle mouse button needs the level "full"';
  return null;
}

function isMiddleButton({ button, buttons }: Params): boolean {
  return button === "middle" || (toBits(buttons) & 4) !== 0;
}

function isClipboardKey(params: Params): boolean {
  const { commands, modifiers } = params;
  if (commands !== undefined) {
    if (!Array.isArray(commands)) return true;
    const isAccess = (each: unknown) =>
      typeof each !== "string" || /paste|copy|cut|yank/i.test(each);
    if (commands.some(isAccess)) return true;
  }
  const bits = toBits(modifiers);
  return (
    ((bits & (CONTROL | META)) !== 0 && isKey(params, WITH_CONTROL)) ||
    ((bits & SHIFT) !== 0 && isKey(params, WITH_SHIFT))
  );
}

/** What is neither missing nor a number counts as all bits. */
function toBits(value: unknown = 0): number {
  return typeof value === "number" ? value : -1;
}

/** Whether a key is among these. A name or code of another type counts as one of them. */
function isKey(
  params: Params,
  { codes, names }: { codes: ReadonlySet<number>; names: RegExp },
): boolean {
  const isOneOf = (name: string, matches: (value: never) => boolean) =>
    params[name] !== undefined && matches(params[name] as never);
  return (
    ["windowsVirtualKeyCode", "nativeVirtualKeyCode"].some((name) =>
      isOneOf(name, (code) => typeof code !== "number" || codes.has(code)),
    ) ||
    ["key", "code", "text", "unmodifiedText", "keyIdentifier"].some((name) =>
      isOneOf(name, (text) => typeof text !== "string" || names.test(text)),
    )
  );
}
