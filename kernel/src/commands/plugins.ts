import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { defineCommand } from "citty";
import type { PluginLine } from "../control-commands.ts";
import { openHome } from "../home/home.ts";
import { discoverPlugins } from "../plugins/discover.ts";
import { installTarball } from "../plugins/install.ts";
import { UserError } from "../user-error.ts";
import {
  findRunningDaemon,
  homeArgument,
  homeOf,
  requireRunningDaemon,
} from "./running-daemon.ts";

const list = defineCommand({
  meta: { name: "list", description: "Show the plugins and their state" },
  args: homeArgument,
  async run({ args }) {
    const daemon = await findRunningDaemon(args.home);
    if (daemon)
      return printPlugins(await daemon.call<PluginLine[]>("plugins-list"));
    const { plugins: folder } = homeOf(args);
    const found = await discoverPlugins([{ folder, origin: "home" }]);
    console.log("No daemon runs; these plugins are in the home:");
    for (const { packageName, version } of found.packages)
      console.log(`  ${packageName} ${version}`);
  },
});

const add = defineCommand({
  meta: {
    name: "add",
    description: "Install a plugin from a tarball made by `npm pack`",
  },
  args: {
    ...homeArgument,
    tarball: {
      type: "positional",
      description: "Path of the .tgz file",
      required: true,
    },
  },
  async run({ args }) {
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
});

const remove = defineCommand({
  meta: { name: "remove", description: "Remove an added plugin and its data" },
  args: {
    ...homeArgument,
    id: { type: "positional", description: "Id of the plugin", required: true },
    "keep-data": {
      type: "boolean",
      description: "Leave its records and files",
    },
  },
  async run({ args }) {
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
});

const enable = defineCommand({
  meta: {
    name: "enable",
    description:
      "Load a plugin again, also one that was passed over after it crashed the daemon",
  },
  args: {
    ...homeArgument,
    id: { type: "positional", description: "Id of the plugin", required: true },
  },
  async run({ args }) {
    const daemon = await requireRunningDaemon(args.home);
    printPlugins([
      await daemon.call<PluginLine>("plugins-enable", { id: args.id }),
    ]);
  },
});

/** Shows, adds and removes plugins. */
export const plugins = defineCommand({
  meta: { name: "plugins", description: "Show, add and remove plugins" },
  subCommands: { list, add, remove, enable },
});

function printPlugins(lines: readonly PluginLine[]): void {
  for (const { id, version, origin, state, reason } of lines) {
    console.log(
      `${id} ${version} (${origin}): ${state}${reason ? `: ${reason}` : ""}`,
    );
  }
}
