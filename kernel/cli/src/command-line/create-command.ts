import type { CommandOption } from "@gantry/plugin";
import { Argument, Command, InvalidArgumentError, Option } from "commander";

/** Options by their names, as plugins declare theirs. */
export type CommandOptions = Readonly<Record<string, CommandOption>>;

/** The option of every command: which home is meant. */
const HOME = {
  home: {
    type: "string",
    description: "Home folder (default ~/.gantry, or GANTRY_HOME)",
  },
} as const;

/** What was typed, by the names of the options. */
export type TypedOptions<Declared extends CommandOptions> = {
  readonly [Name in keyof Declared]: Declared[Name] extends { type: "boolean" }
    ? boolean | undefined
    : Declared[Name] extends { type: "positional"; required?: true }
      ? string
      : string | undefined;
};

/** Creates a command that only has others below it. Whatever is wrong with a command line is thrown. */
export function createGroup(
  name: string,
  description: string,
  commands: readonly Command[] = [],
): Command {
  const group = new Command(name)
    .description(description)
    .helpOption("-h, --help", "Show this help")
    .helpCommand(false)
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .exitOverride()
    .configureOutput({
      outputError() {},
      writeOut: (text) => console.log(text.trimEnd()),
    });
  for (const command of commands) group.addCommand(command);
  return group;
}

/** Creates a command that runs something, with `--home`. Each boolean option has a negation, such as `--no-json`. */
export function createCommand<const Declared extends CommandOptions>(
  name: string,
  description: string,
  options: Declared,
  run: (typed: TypedOptions<Declared & typeof HOME>) => unknown,
): Command {
  const command = createGroup(name, description);
  const declared = Object.entries<CommandOption>({ ...HOME, ...options });
  const readers = declared.map(
    ([word, option]) => [word, declareOption(command, word, option)] as const,
  );
  return command.action(async () => {
    const typed = readers.map(([word, read]) => [word, read()] as const);
    await run(
      Object.fromEntries(typed) as TypedOptions<Declared & typeof HOME>,
    );
  });
}

/** Adds an option to a command. Returns what reads its value once a line is parsed. */
function declareOption(
  command: Command,
  name: string,
  { type, description, required, default: value }: CommandOption,
): () => unknown {
  if (type === "positional") {
    const isNeeded = required !== false && value === undefined;
    const form = isNeeded ? `<${name}>` : `[${name}]`;
    const argument = new Argument(form, description).default(value);
    command.addArgument(argument);
    return () =>
      command.processedArgs[command.registeredArguments.indexOf(argument)];
  }
  const flag = type === "boolean" ? `--${name}` : `--${name} <${name}>`;
  const option = new Option(flag, description).default(value);
  // Its name may begin with "no-" by itself.
  option.negate = false;
  command.addOption(option);
  if (type === "boolean")
    command.addOption(new Option(`--no-${name}`).hideHelp());
  else
    option
      .argParser(checkText)
      .makeOptionMandatory(required === true && value === undefined);
  return () =>
    new Map<string, unknown>(Object.entries(command.opts())).get(
      option.attributeName(),
    );
}

function checkText(text: string): string {
  if (text === "") throw new InvalidArgumentError("It needs a value.");
  return text;
}
