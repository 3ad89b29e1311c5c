/** Names that are filled from the target of a send, and never asked for. */
export const RESERVED_NAMES = [
  "cwd",
  "workspace",
  "branch",
  "date",
  "agent",
  "cli",
] as const;
export type ReservedName = (typeof RESERVED_NAMES)[number];

/** Longest name of a placeholder. */
export const MAX_NAME_LENGTH = 40;

/** How many different names a body may have. */
export const MAX_NAMES = 32;

/** Longest body in characters, as JavaScript counts them: UTF-16 code units. */
export const MAX_BODY_LENGTH = 100_000;

/** Longest text that an expansion may give. */
export const MAX_TEXT_LENGTH = 500_000;

/** Whether a name is filled from the target. */
export function isReservedName(name: string): name is ReservedName {
  return (RESERVED_NAMES as readonly string[]).includes(name);
}

/** Whether a text can be the name of a placeholder. */
export function isName(text: string): boolean {
  return (
    text.length <= MAX_NAME_LENGTH && /^[A-Za-z_][A-Za-z0-9_]*$/.test(text)
  );
}

/** Says why a text cannot be the default of a placeholder; `undefined` if it can. An empty one is none. */
export function checkDefault(text: string): string | undefined {
  if (/[\n\r]/.test(text))
    return "A default is one line; a placeholder ends on the line where it begins.";
  if (text.includes("{{")) return "A default cannot contain {{.";
  if (text.includes("}}")) return "A default cannot contain }}.";
  if (text.endsWith("}"))
    return "A default cannot end with }, since the placeholder would end there.";
  return undefined;
}
