import { hasControl } from "../../src/language/to-visible.ts";
import type { Placeholder } from "../wire.ts";

/** Says for each blank why its value cannot be sent. */
export function checkValues(
  placeholders: readonly Placeholder[],
  values: Readonly<Record<string, string>>,
  toTerminal: boolean,
): Record<string, string> {
  const problems: Record<string, string> = {};
  for (const placeholder of placeholders) {
    const { name, default: standard, optional, reserved } = placeholder;
    if (reserved) continue;
    const value = values[name] ?? "";
    if (value === "" && standard === null && !optional)
      problems[name] = "Give a value.";
    else if (value && placeholder.enum && !placeholder.enum.includes(value))
      problems[name] = `It is one of: ${placeholder.enum.join(", ")}.`;
    else if (toTerminal && hasControl(value))
      problems[name] =
        "It has a control character, which a terminal would take for a key.";
  }
  return problems;
}

/** The values that were given; those that are empty are left to the snippet. */
export function givenValues(
  placeholders: readonly Placeholder[],
  values: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    placeholders.flatMap(({ name, reserved }) =>
      !reserved && values[name] ? [[name, values[name]]] : [],
    ),
  );
}
