import { rm } from "node:fs/promises";
import { createKeyedLock } from "@gantry/plugin";
import { errors, invalidPlugin } from "@gantry/system/errors";
import { installTarball } from "@gantry/system/plugin-packages/install";
import type { PluginPackage } from "@gantry/system/plugin-packages/manifest";
import { describePlugin } from "../audit/record-plugins.ts";
import type { PluginHost } from "./plugin-host.ts";
import type { PluginStatus } from "./plugin-status.ts";
import type { RunningParts } from "../start-plugins.ts";

/**
 * Adds plugins to a home, and removes them, while the daemon runs. A plugin goes by its id or the name of its package. One
 * change is made after the other: each touches folders and what runs.
 */
export function createAddedPlugins(running: RunningParts) {
  const { plugins, guard, data, foundation } = running;
  const { audit } = foundation;
  const turns = createKeyedLock();
  const inTurn = <Result>(work: () => Promise<Result>) =>
    turns.run("plugins", work);
  return {
    /** Installs a tarball and starts it. One whose code cannot be loaded, or claims what is not its own, is refused. */
    add: (tarball: string) =>
      inTurn(async () => {
        const added = await install(running, tarball);
        await audit.record("plugin.added", await describePlugin(added));
        return added;
      }),
    /** Loads a plugin again, also one that ended the daemon. */
    enable: (id: string) =>
      inTurn(async () => {
        const plugin = findPlugin(plugins, id);
        guard.forgive(plugin.id);
        if (!plugin.package) return plugin;
        const enabled = await reload(running, plugin.package);
        await audit.record("plugin.enabled", await describePlugin(enabled));
        return enabled;
      }),
    /** @param keepData Whether its records and files stay. */
    remove: (id: string, keepData: boolean) =>
      inTurn(async () => {
        const plugin = findPlugin(plugins, id);
        const removed = await describePlugin(plugin);
        if (plugin.origin !== "home")
          throw invalidPlugin(
            `"${plugin.id}" is delivered with the daemon; leave it out with --plugins`,
          );
        await plugins.remove(plugin.id);
        if (plugin.folder)
          await rm(plugin.folder, { recursive: true, force: true });
        guard.forgive(plugin.id);
        const dataRemoved =
          !keepData && (await data.remove(plugin, plugins.list()));
        await audit.record("plugin.removed", removed);
        return { id: plugin.id, dataRemoved };
      }),
  };
}

function findPlugin(plugins: PluginHost, id: string): PluginStatus {
  const plugin = plugins
    .list()
    .find((each) => each.id === id || each.package?.packageName === id);
  if (!plugin) throw errors.PLUGIN_NOT_FOUND({ id });
  return plugin;
}

/** Loads and starts what is in a folder now, in place of what was loaded from it before. */
async function reload(
  { plugins, data }: RunningParts,
  plugin: PluginPackage,
): Promise<PluginStatus> {
  const added = await plugins.replace(plugin);
  await data.claim(plugins.list());
  return added;
}

async function install(
  running: RunningParts,
  tarball: string,
): Promise<PluginStatus> {
  const { plugins, guard, foundation } = running;
  let before: PluginPackage | undefined;
  let added: PluginStatus | undefined;
  try {
    await installTarball(
      tarball,
      foundation.home.plugins,
      async (candidate) => {
        const present = plugins
          .list()
          .find(({ folder }) => folder === candidate.folder);
        before = present?.package;
        // It may be other code than the one that ended the daemon.
        guard.forgive(candidate.name);
        if (present) guard.forgive(present.id);
        added = await reload(running, candidate);
        if (added.definition) return;
        await plugins.remove(added.id);
        throw invalidPlugin(added.reason ?? "it is refused");
      },
    );
  } catch (error) {
    if (before) await reload(running, before);
    throw error;
  }
  return added!;
}
