import type { CommandDef, SubCommandsDef } from "citty";

/** The tree of all commands, as far as a command line needs it. */
export interface WholeTree {
  root: CommandDef;
  /** Notes to print below the help of the whole tree. */
  notes: string[];
}

/**
 * Adds the commands of plugins to the daemon's own. Looks for them only if a command line may name one of them or
 * requests the list.
 */
export async function withPluginCommands(
  own: CommandDef,
  args: readonly string[],
): Promise<WholeTree> {
  const subCommands = own.subCommands as SubCommandsDef;
  const [first = ""] = args;
  if (Object.hasOwn(subCommands, first)) return { root: own, notes: [] };
  const { findPluginCommands } = await import("./find-plugin-commands.ts");
  const { createPluginCommand } = await import("./create-command.ts");
  const { deliveredFolders } = await import("../commands/delivered-folders.ts");
  const { homeOf } = await import("../commands/running-daemon.ts");
  const { offered, refused } = await findPluginCommands(
    homeOf({ home: findHome(args) }),
    deliveredFolders().builtinPlugins,
    Object.keys(subCommands),
  );
  return {
    root: {
      ...own,
      subCommands: {
        ...subCommands,
        ...Object.fromEntries(
          [...offered].map(([name, plugin]) => [
            name,
            createPluginCommand(plugin),
          ]),
        ),
      },
    },
    notes: refused.map(
      ({ packageName, commands }) =>
        `The command "${commands.name}" of the plugin ${packageName} is not offered: another one is called that.`,
    ),
  };
}

/** The home that a command line names, before the rest of it is parsed. */
function findHome(args: readonly string[]): string | undefined {
  const end = args.indexOf("--");
  const before = end < 0 ? args : args.slice(0, end);
  const at = before.findLastIndex((arg) => /^--home(=|$)/.test(arg));
  if (at < 0) return undefined;
  return before[at]?.split(/=(.*)/s)[1] ?? before[at + 1];
}
