import type { Command } from "commander";
import { deliveredPlugins } from "../commands/delivered-plugins.ts";
import { homeOf } from "../commands/running-daemon.ts";
import { createPluginCommand } from "./create-command.ts";
import { findPluginCommands } from "./find-plugin-commands.ts";

/** Adds the commands of plugins to the daemon's own, and to the help of the whole why one is missing there. */
export async function addPluginCommands(
  root: Command,
  args: readonly string[],
): Promise<void> {
  const { offered, refused } = await findPluginCommands(
    homeOf({ home: findHome(args) }),
    deliveredPlugins(),
    root.commands.map((command) => command.name()),
  );
  const meant = args.find((arg) => !arg.startsWith("-"));
  for (const [name, plugin] of offered)
    root.addCommand(await createPluginCommand(plugin, name === meant));
  for (const { packageName, commands } of refused)
    root.addHelpText(
      "after",
      `The command "${commands.name}" of the plugin ${packageName} is not offered: another one is called that.`,
    );
}

/** The home that a command line names, before it is known what else it says. */
function findHome(args: readonly string[]): string | undefined {
  const end = args.indexOf("--");
  const before = end < 0 ? args : args.slice(0, end);
  const at = before.findLastIndex((arg) => /^--home(=|$)/.test(arg));
  if (at < 0) return undefined;
  return before[at]?.split(/=(.*)/s)[1] ?? before[at + 1];
}
