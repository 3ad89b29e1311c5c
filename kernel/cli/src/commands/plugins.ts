import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { createCommand, createGroup } from "../command-line/create-command.ts";
import type { PluginLine } from "@gantry/kernel/control-commands";
import { openHome } from "@gantry/system/home/home";
import { discoverPlugins } from "@gantry/system/plugin-packages/discover";
import { installTarball } from "@gantry/system/plugin-packages/install";
import { UserError } from "@gantry/system/user-error";
import {
  findRunningDaemon,
  homeOf,
  requireRunningDaemon,
} from "./running-daemon.ts";

const list = createCommand(
  "list",
  "Show the plugins and their state",
  {},
  async (args) => {
    const daemon = await findRunningDaemon(args.home);
    if (daemon)
      return printPlugins(await daemon.call<PluginLine[]>("plugins-list"));
    const found = await discoverPlugins(homeOf(args).plugins);
    console.log("No daemon runs; these plugins are in the home:");
    for (const { packageName, version } of found.packages)
      console.log(`  ${packageName} ${version}`);
  },
);

const add = createCommand(
  "add",
  "Install a plugin from a tarball made by `npm pack`",
  {
    tarball: {
      type: "positional",
      description: "Path of the .tgz file",
    },
  },
  async (args) => {
    const tarball = resolve(args.tarball);
    if (!(await stat(tarball).catch(() => undefined))?.isFile())
      throw new UserError(`There is no file ${tarball}.`);
    const daemon = await findRunningDaemon(args.home);
    if (daemon)
      return printPlugins([
        await daemon.call<PluginLine>("plugins-add", { tarball }),
      ]);
    const home = homeOf(args);
    await openHome(home);
    const { packageName, version } = await installTarball(
      tarball,
      home.plugins,
    );
    console.log(
      `Installed ${packageName} ${version}; it runs from the next start on.`,
    );
  },
);

const remove = createCommand(
  "remove",
  "Remove an added plugin and its data",
  {
    id: { type: "positional", description: "Id of the plugin" },
    "keep-data": {
      type: "boolean",
      description: "Leave its records and files",
    },
  },
  async (args) => {
    const daemon = await requireRunningDaemon(args.home);
    const keepData = args["keep-data"] ?? false;
    const { id, dataRemoved } = await daemon.call<{
      id: string;
      dataRemoved: boolean;
    }>("plugins-remove", { id: args.id, keepData });
    console.log(
      dataRemoved || keepData
        ? `Removed ${id}.`
        : `Removed ${id}. It stored nothing that is known to be its own, so no records were removed.`,
    );
  },
);

const enable = createCommand(
  "enable",
  "Load a plugin again, also one that was passed over after it crashed the daemon",
  {
    id: { type: "positional", description: "Id of the plugin" },
  },
  async (args) => {
    const daemon = await requireRunningDaemon(args.home);
    printPlugins([
      await daemon.call<PluginLine>("plugins-enable", { id: args.id }),
    ]);
  },
);

/** Shows, adds and removes plugins. */
export const plugins = createGroup("plugins", "Show, add and remove plugins", [
  list,
  add,
  remove,
  enable,
]);

function printPlugins(lines: readonly PluginLine[]): void {
  for (const { id, version, origin, state, reason } of lines) {
    console.log(
      `${id} ${version} (${origin}): ${state}${reason ? `: ${reason}` : ""}`,
    );
  }
}
