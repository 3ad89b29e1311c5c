import type { CommandDef } from "citty";
import { checkArguments } from "./check-arguments.ts";
import { suggest } from "./suggest.ts";
import { UsageError } from "./usage-error.ts";

/** The command that a command line selects. */
export interface ResolvedCommand {
  /** `help` prints the usage of the command and runs nothing. */
  action: "run" | "help";
  command: CommandDef;
  /** The words that name it: `gantry`, `plugins`, `add`. */
  words: string[];
  /** The arguments after its name. */
  rawArgs: string[];
}

/**
 * Finds the command that a command line names and checks its arguments, before any of it runs. `--help` or `-h`
 * anywhere before `--` requests the help of that command, whatever the other arguments.
 *
 * @param root The whole tree; `name` is the word that is typed for it.
 * @throws UsageError for an unknown command, an unknown or incomplete option, and a surplus or missing argument
 */
export async function resolveCommand(
  root: CommandDef,
  name: string,
  args: readonly string[],
): Promise<ResolvedCommand> {
  const end = args.includes("--") ? args.indexOf("--") : args.length;
  const asksHelp = (arg: string, index: number) =>
    index < end && (arg === "--help" || arg === "-h");
  const action = args.some(asksHelp) ? "help" : "run";
  const rest = args.filter((arg, index) => !asksHelp(arg, index));

  const words = [name];
  let command = root;
  for (;;) {
    const typed = words.join(" ");
    const below = await load(command.subCommands);
    if (!below) {
      if (action === "run")
        checkArguments(typed, (await load(command.args)) ?? {}, rest);
      // citty takes any value of `subCommands` for a table, also a function that gives none.
      const leaf = { ...command, subCommands: undefined };
      return { action, command: leaf, words, rawArgs: rest };
    }
    const [word] = rest;
    if (action === "help" && (word === undefined || word.startsWith("-")))
      return { action, command, words, rawArgs: rest };
    const found = findBelow(below, word, typed);
    command = (await load(found.command)) as CommandDef;
    words.push(found.word);
    rest.shift();
  }
}

function findBelow(
  below: object,
  word: string | undefined,
  typed: string,
): { word: string; command: unknown } {
  const known = Object.keys(below);
  if (word === undefined)
    throw new UsageError(
      `"${typed}" needs a command: ${known.join(", ")}.`,
      typed,
    );
  if (Object.hasOwn(below, word))
    return { word, command: below[word as keyof typeof below] };
  const shown = JSON.stringify(word);
  throw new UsageError(
    word.startsWith("-")
      ? `The option ${shown} must come after the command.`
      : `Unknown command ${shown} of "${typed}"${suggest(word, known)}`,
    typed,
  );
}

/** citty allows each part of a command to be a value, a promise, or a function that returns either. */
async function load<Value>(
  part: Value | Promise<Value> | (() => Value | Promise<Value>),
): Promise<Value> {
  return typeof part === "function"
    ? await (part as () => Value | Promise<Value>)()
    : await part;
}
