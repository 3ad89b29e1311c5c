import type { Command } from "commander";
import type { CommandInput, PluginCommand } from "@gantry/plugin";
import { createCommand, createGroup } from "../command-line/create-command.ts";
import { isUserError, UserError } from "@gantry/system/user-error";
import { openCommandInput } from "./command-input.ts";
import type { CommandsPackage } from "./find-plugin-commands.ts";
import { loadPluginCommands } from "./load-plugin-commands.ts";

/**
 * Creates a command of the tree for the commands of a plugin.
 *
 * @param isMeant Whether a command line names it. Only then their code is loaded.
 */
export async function createPluginCommand(
  plugin: CommandsPackage,
  isMeant: boolean,
): Promise<Command> {
  const { name, description } = plugin.commands;
  if (!isMeant) return createGroup(name, description);
  const { commands } = await loadPluginCommands(plugin);
  const below = Object.entries(commands).map(([word, command]) =>
    createCommand(
      word,
      command.description,
      command.options ?? {},
      ({ home, ...args }) => runPluginCommand(plugin, command, args, home),
    ),
  );
  const [only] = below;
  return below.length === 1 && only?.name() === name
    ? only
    : createGroup(name, description, below);
}

async function runPluginCommand(
  plugin: CommandsPackage,
  command: PluginCommand,
  args: CommandInput["args"],
  home: string | undefined,
): Promise<void> {
  await using opened = await openCommandInput(plugin.commands.name, args, home);
  try {
    await command.run(opened.input);
  } catch (error) {
    opened.input.signal.throwIfAborted();
    if (isUserError(error)) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new UserError(message.trim().replaceAll(/\s*\n\s*/g, " "), {
      cause: error,
    });
  }
}
