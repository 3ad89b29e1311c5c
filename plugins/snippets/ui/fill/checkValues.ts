import { hasControl } from "../../src/language/to-visible.ts";
import type { Placeholder } from "../wire.ts";

/** Values by the names of blanks; a name can be that of a member of every object, so they are kept in no object. */
export type Values = ReadonlyMap<string, string>;

/** Says for each blank why its value cannot be sent. */
export function checkValues(
  placeholders: readonly Placeholder[],
  values: Values,
  toTerminal: boolean,
): ReadonlyMap<string, string> {
  const problems = new Map<string, string>();
  for (const placeholder of placeholders) {
    const { name, default: standard, optional, reserved } = placeholder;
    if (reserved) continue;
    const value = values.get(name) ?? "";
    if (value === "" && standard === null && !optional)
      problems.set(name, "Give a value.");
    else if (value && placeholder.enum && !placeholder.enum.includes(value))
      problems.set(name, `It is one of: ${placeholder.enum.join(", ")}.`);
    else if (toTerminal && hasControl(value))
      problems.set(
        name,
        "It has a control character, which a terminal would take for a key.",
      );
  }
  return problems;
}

/** The values that were given, as they are sent; those that are empty are left to the snippet. */
export function givenValues(
  placeholders: readonly Placeholder[],
  values: Values,
): Record<string, string> {
  return Object.fromEntries(
    placeholders.flatMap(({ name, reserved }) => {
      const value = values.get(name);
      return !reserved && value ? [[name, value]] : [];
    }),
  );
}
