import type { CommandDef, SubCommandsDef } from "citty";

/** The tree of all commands, as far as a command line needs it. */
export interface WholeTree {
  root: CommandDef;
  /** What is to be said below the help of the whole. */
  notes: string[];
}

/**
 * Adds the commands of plugins to the daemon's own. They are looked for only where a command line may mean one of them, or
 * asks what there is.
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
  const { deliveredPlugins } = await import("../commands/delivered-plugins.ts");
  const { homeOf } = await import("../commands/running-daemon.ts");
  const { offered, refused } = await findPluginCommands(
    homeOf({ home: findHome(args) }),
    deliveredPlugins(),
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

/** The home that a command line names, before it is known what else it says. */
function findHome(args: readonly string[]): string | undefined {
  const end = args.indexOf("--");
  const before = end < 0 ? args : args.slice(0, end);
  const at = before.findLastIndex((arg) => /^--home(=|$)/.test(arg));
  if (at < 0) return undefined;
  return before[at]?.split(/=(.*)/s)[1] ?? before[at + 1];
}
