import { parseArgs } from "node:util";
import type { ArgsDef } from "citty";
import { suggest } from "./suggest.ts";
import { UsageError } from "./usage-error.ts";

/**
 * Checks the arguments of a command against its declaration. citty itself ignores an unknown option, takes the next
 * option for a missing value, and drops surplus arguments.
 *
 * @param command The words that name it, such as `gantry plugins add`.
 * @throws UsageError for the first argument that does not match
 */
export function checkArguments(
  command: string,
  declared: ArgsDef,
  args: readonly string[],
): void {
  const definitions = new Map(Object.entries(declared));
  const positionals = namesOf(definitions, "positional");
  const booleans = namesOf(definitions, "boolean");
  const texts = namesOf(definitions, "string");
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries([
      ...texts.map((name) => [name, { type: "string" as const }]),
      ...booleans.map((name) => [name, { type: "boolean" as const }]),
    ]),
    strict: false,
    tokens: true,
  });

  let given = 0;
  const texted = new Set<string>();
  for (const token of tokens) {
    if (token.kind === "positional" && ++given > positionals.length)
      throw new UsageError(
        `"${command}" takes no argument ${JSON.stringify(token.value)}.`,
        command,
      );
    if (token.kind !== "option") continue;
    const { name, value, inlineValue } = token;
    const off = name.startsWith("no-") && booleans.includes(name.slice(3));
    const isText = texts.includes(name);
    if (!isText && !off && !booleans.includes(name)) {
      const typed = args[token.index]?.replace(/=.*/s, "") ?? "";
      const known = [...texts, ...booleans, "help"].map(
        (known) => `--${known}`,
      );
      throw new UsageError(
        `Unknown option ${JSON.stringify(typed)} of "${command}"${suggest(typed, known)}`,
        command,
      );
    }
    if (isText) texted.add(name);
    if (isText && (!value || (!inlineValue && value.startsWith("-"))))
      throw new UsageError(`The option "--${name}" needs a value.`, command);
    if (!isText && value !== undefined)
      throw new UsageError(`The option "--${name}" takes no value.`, command);
  }

  const missing = positionals
    .slice(given)
    .find((name) => isRequired(definitions.get(name), true));
  if (missing)
    throw new UsageError(
      `"${command}" needs ${missing.toUpperCase()}.`,
      command,
    );
  const missed = texts.find(
    (name) => !texted.has(name) && isRequired(definitions.get(name), false),
  );
  if (missed)
    throw new UsageError(
      `"${command}" needs the option "--${missed}".`,
      command,
    );
}

function isRequired(
  definition: ArgsDef[string] | undefined,
  unlessSaid: boolean,
): boolean {
  return (
    (definition?.required ?? unlessSaid) && definition?.default === undefined
  );
}

function namesOf(
  definitions: ReadonlyMap<string, ArgsDef[string]>,
  type: "positional" | "boolean" | "string",
): string[] {
  return [...definitions].flatMap(([name, definition]) =>
    definition.type === type ? [name] : [],
  );
}
