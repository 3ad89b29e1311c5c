import { defineCommand } from "citty";
import type { ArgDef, ArgsDef, CommandDef } from "citty";
import type { CommandOption, PluginCommand } from "@gantry/plugin";
import { homeArgument } from "../commands/running-daemon.ts";
import { UserError } from "../user-error.ts";
import { openCommandInput } from "./command-input.ts";
import type { CommandsPackage } from "./find-plugin-commands.ts";
import { loadPluginCommands } from "./load-plugin-commands.ts";

/** A command of the tree for the commands of a plugin. Their code is loaded when one of them is asked for. */
export function createPluginCommand(plugin: CommandsPackage): CommandDef {
  const { name, description } = plugin.commands;
  return defineCommand({
    meta: { name, description },
    async subCommands() {
      const { commands } = await loadPluginCommands(plugin);
      return Object.fromEntries(
        Object.entries(commands).map(([word, command]) => [
          word,
          createSubCommand(plugin, word, command),
        ]),
      );
    },
  });
}

function createSubCommand(
  plugin: CommandsPackage,
  name: string,
  command: PluginCommand,
): CommandDef {
  const options = Object.entries(command.options ?? {});
  const args: ArgsDef = {
    ...Object.fromEntries(
      options.map(([word, option]) => [word, toArgument(option)]),
    ),
    ...homeArgument,
  };
  return defineCommand({
    meta: { name, description: command.description },
    args,
    async run({ args: parsed }) {
      const typed = parsed as Record<string, string | boolean | undefined>;
      const own = Object.fromEntries(
        options.map(([word]) => [word, typed[word]]),
      );
      await runPluginCommand(plugin, command, own, typed.home as string);
    },
  });
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
  args: Readonly<Record<string, string | boolean | undefined>>,
  home: string | undefined,
): Promise<void> {
  await using opened = await openCommandInput(plugin.commands.name, args, home);
  try {
    await command.run(opened.input);
  } catch (error) {
    opened.input.signal.throwIfAborted();
    if (error instanceof UserError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new UserError(message.trim().replaceAll(/\s*\n\s*/g, " "), {
      cause: error,
    });
  }
}
