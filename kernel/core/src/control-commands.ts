import { rm } from "node:fs/promises";
import { createKeyedLock } from "@gantry/plugin";
import type { Audit } from "@gantry/system/audit/audit";
import { describePlugin } from "./audit/record-plugins.ts";
import type { NewCode } from "./auth/pairing.ts";
import { errors } from "@gantry/system/errors";
import type { Home } from "@gantry/system/home/home";
import type { ControlCommands } from "@gantry/system/home/control";
import type { CrashGuard } from "./plugins/crash-guard.ts";
import { installTarball } from "@gantry/system/plugin-packages/install";
import type { PluginPackage } from "@gantry/system/plugin-packages/manifest";
import type { PluginData } from "./plugins/plugin-data.ts";
import type { PluginHost } from "./plugins/plugin-host.ts";
import type { PluginStatus } from "./plugins/plugin-status.ts";

/** Dependencies of the owner's commands. */
export interface ControlHost {
  url: string;
  /** Where programs on this machine reach it. */
  localUrl: string;
  home: Home;
  plugins: PluginHost;
  data: PluginData;
  guard: CrashGuard;
  audit: Pick<Audit, "record" | "flush">;
  /** Replaces the install token. */
  rotateToken(): Promise<string>;
  pair(): NewCode & { url: string };
}

/** A plugin as the command line shows it. */
export type PluginLine = Pick<
  PluginStatus,
  "id" | "version" | "origin" | "state" | "reason"
>;

const toLine = ({
  id,
  version,
  origin,
  state,
  reason,
}: PluginStatus): PluginLine => ({ id, version, origin, state, reason });

/** The owner's commands to a running daemon. */
export function createControlCommands(host: ControlHost): ControlCommands {
  const { plugins, guard, home, data, audit } = host;
  const find = (id: string) => {
    const plugin = plugins
      .list()
      .find(
        (candidate) =>
          candidate.id === id || candidate.package?.packageName === id,
      );
    if (!plugin) throw errors.PLUGIN_NOT_FOUND({ id });
    return plugin;
  };

  /** Installing, enabling and removing take their turns: each of them changes folders and what runs. */
  const turns = createKeyedLock();
  const inTurn = <Result>(work: () => Promise<Result>) =>
    turns.run("plugins", work);

  /** Loads and starts what is in a folder now, in place of what was loaded from it before. */
  const reload = async (plugin: PluginPackage) => {
    const added = await plugins.replace(plugin);
    await data.claim(plugins.list());
    return added;
  };

  /** Installs a plugin and starts it. One whose code cannot be loaded, or claims what is not its own, is refused. */
  const install = async (tarball: string): Promise<PluginStatus> => {
    let before: PluginPackage | undefined;
    let added: PluginStatus | undefined;
    try {
      await installTarball(tarball, home.plugins, async (candidate) => {
        const running = plugins
          .list()
          .find(({ folder }) => folder === candidate.folder);
        before = running?.package;
        // It may be other code than the one that ended the daemon.
        guard.forgive(candidate.name);
        if (running) guard.forgive(running.id);
        added = await reload(candidate);
        if (added.definition) return;
        await plugins.remove(added.id);
        const reason = added.reason ?? "it is refused";
        throw errors.PLUGIN_INVALID({ reason });
      });
    } catch (error) {
      if (before) await reload(before);
      throw error;
    }
    await audit.record("plugin.added", await describePlugin(added!));
    return added!;
  };

  return {
    status: () => ({
      url: host.url,
      localUrl: host.localUrl,
      pid: process.pid,
      plugins: plugins.list().map(toLine),
    }),
    pair: async () => {
      const code = host.pair();
      await audit.flush();
      return code;
    },
    "rotate-token": async () => ({ token: await host.rotateToken() }),
    "plugins-list": () => plugins.list().map(toLine),
    "plugins-add": ({ tarball }: { tarball: string }) =>
      inTurn(async () => toLine(await install(tarball))),
    "plugins-enable": ({ id }: { id: string }) =>
      inTurn(async () => {
        const plugin = find(id);
        guard.forgive(plugin.id);
        if (!plugin.package) return toLine(plugin);
        const enabled = await reload(plugin.package);
        await audit.record("plugin.enabled", await describePlugin(enabled));
        return toLine(enabled);
      }),
    "plugins-remove": ({ id, keepData }: { id: string; keepData?: boolean }) =>
      inTurn(async () => {
        const plugin = find(id);
        const removed = await describePlugin(plugin);
        if (plugin.origin !== "home") {
          throw errors.PLUGIN_INVALID({
            reason: `"${plugin.id}" is delivered with the daemon; leave it out with --plugins`,
          });
        }
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
