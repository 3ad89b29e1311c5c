import { defineCommand } from "citty";
import type { ArgDef, ArgsDef, CommandDef, SubCommandsDef } from "citty";
import type {
  CommandOption,
  PluginCommand,
  PluginCommands,
} from "@gantry/plugin";
import { homeArgument } from "../commands/running-daemon.ts";
import { UserError } from "@gantry/system/user-error";
import { openCommandInput } from "./command-input.ts";
import type { CommandsPackage } from "./find-plugin-commands.ts";
import { loadPluginCommands } from "./load-plugin-commands.ts";

/**
 * Creates the command of a plugin: one with subcommands, or a single one. The plugin's code is loaded when it is used, not
 * for the list of all commands.
 */
export function createPluginCommand(plugin: CommandsPackage): CommandDef {
  const { name, description } = plugin.commands;
  let loading: Promise<PluginCommands> | undefined;
  const load = () => (loading ??= loadPluginCommands(plugin));
  return defineCommand({
    meta: { name, description },
    subCommands: (async () => {
      const { commands } = await load();
      return (
        commands &&
        Object.fromEntries(
          Object.entries(commands).map(([word, command]) => [
            word,
            defineCommand({
              meta: { name: word, description: command.description },
              args: toArguments(command),
              run: ({ args }) => runPluginCommand(plugin, command, args),
            }),
          ]),
        )
      );
      // citty takes a command without commands below it, which its types do not say of a function.
    }) as () => Promise<SubCommandsDef>,
    args: async () => toArguments((await load()).command),
    async run({ args }) {
      const { command } = await load();
      if (command) await runPluginCommand(plugin, command, args);
    },
  });
}

function toArguments(command: PluginCommand | undefined): ArgsDef {
  if (!command) return {};
  const options = Object.entries(command.options ?? {});
  return {
    ...Object.fromEntries(
      options.map(([word, option]) => [word, toArgument(option)]),
    ),
    ...homeArgument,
  };
}

function toArgument({
  type,
  description,
  required,
  default: value,
}: CommandOption): ArgDef {
  return { type, description, required, default: value } as ArgDef;
}

async function runPluginCommand(
  plugin: CommandsPackage,
  command: PluginCommand,
  parsed: object,
): Promise<void> {
  const typed = parsed as Record<string, string | boolean | undefined>;
  const args = Object.fromEntries(
    Object.keys(command.options ?? {}).map((word) => [word, typed[word]]),
  );
  const home = typed.home as string | undefined;
  await using opened = await openCommandInput(plugin.commands.name, args, home);
  try {
    const exitCode = await command.run(opened.input);
    if (exitCode) process.exitCode = exitCode;
  } catch (error) {
    opened.input.signal.throwIfAborted();
    if (error instanceof UserError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new UserError(message.trim().replaceAll(/\s*\n\s*/g, " "), {
      cause: error,
    });
  }
}
