import { CommanderError } from "commander";
import type { Command } from "commander";
import { UsageError } from "./usage-error.ts";

/**
 * Runs the command that a line names, with arguments that it declares. `--help` or `-h` anywhere before `--` prints the help
 * of that command and runs nothing, whatever else is typed.
 *
 * @throws UsageError for an unknown command, an unknown or incomplete option, and a surplus or missing argument
 */
export async function runCommandLine(
  root: Command,
  args: readonly string[],
): Promise<void> {
  const end = args.includes("--") ? args.indexOf("--") : args.length;
  const asksHelp = (arg: string, at: number) =>
    at < end && (arg === "--help" || arg === "-h");
  const line = args.filter((arg, at) => !asksHelp(arg, at));
  const { command, typed, rest } = findCommand(root, line);
  const below = command.commands.map((each) => each.name());
  const [word] = rest;
  const isLeaf = below.length === 0;
  const isNamed = isLeaf || !word || word.startsWith("-");
  if (isNamed && args.some(asksHelp)) return command.outputHelp();
  if (!isLeaf && (word === undefined || word === "--"))
    throw new UsageError(
      `"${typed}" needs a command: ${below.join(", ")}.`,
      typed,
    );
  checkValues(command, typed, rest);
  try {
    await command.parseAsync(rest, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return;
    const [first = "", ...more] = error.message.replace(/^error: /, "");
    const problem = (first.toUpperCase() + more.join(""))
      .replaceAll("\n", " ")
      .replace(/\.?$/, ".");
    throw new UsageError(problem, typed);
  }
}

/** The command that a line names, what was typed to name it, and what is behind that. */
function findCommand(root: Command, line: readonly string[]) {
  let command = root;
  let at = 0;
  for (;;) {
    const below = command.commands.find((each) => each.name() === line[at]);
    const typed = [root.name(), ...line.slice(0, at)].join(" ");
    if (!below) return { command, typed, rest: line.slice(at) };
    command = below;
    at += 1;
  }
}

/** commander takes the next option for a missing value. A value that begins with "-" is typed behind "=". */
function checkValues(
  { options }: Command,
  typed: string,
  rest: readonly string[],
): void {
  const end = rest.includes("--") ? rest.indexOf("--") : rest.length;
  const bare = rest.slice(0, end).find((arg, at) => {
    const takesValue = options.some(
      ({ long, required }) => required && long === arg,
    );
    return takesValue && rest[at + 1]?.startsWith("-");
  });
  if (bare) throw new UsageError(`The option "${bare}" needs a value.`, typed);
}
