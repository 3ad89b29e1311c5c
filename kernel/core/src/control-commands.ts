import { rm } from "node:fs/promises";
import { createKeyedLock } from "@gantry/plugin";
import type { KernelFacts } from "@gantry/plugin";
import type { Audit } from "@gantry/audit/audit";
import { describePlugin } from "./audit/record-plugins.ts";
import type { NewCode } from "./auth/pairing.ts";
import { errors } from "./errors.ts";
import type { ControlCommands } from "@gantry/system/home/control";
import type { Home } from "@gantry/system/home/home";
import type { CrashGuard } from "./plugins/crash-guard.ts";
import { installTarball } from "./plugins/install.ts";
import type { PluginPackage } from "./plugins/manifest.ts";
import type { PluginData } from "./plugins/plugin-data.ts";
import type { PluginHost } from "./plugins/plugin-host.ts";
import type { PluginStatus } from "./plugins/plugin-status.ts";

/** Dependencies of {@link createControlCommands}. */
export interface ControlHost {
  url: string;
  /** Address of the daemon for programs on this machine. */
  localUrl: string;
  home: Home;
  plugins: PluginHost;
  data: PluginData;
  guard: CrashGuard;
  audit: Pick<Audit, "record" | "flush">;
  /** Replaces the install token. */
  rotateToken(): Promise<string>;
  pair(): NewCode & { url: string };
  facts: KernelFacts;
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

/** Creates the commands that the command line sends to a running daemon. */
export function createControlCommands(host: ControlHost): ControlCommands {
  return {
    status: () => ({
      url: host.url,
      localUrl: host.localUrl,
      pid: process.pid,
      plugins: host.plugins.list().map(toLine),
    }),
    pair: async () => {
      const code = host.pair();
      await host.audit.flush();
      return code;
    },
    "rotate-token": async () => ({ token: await host.rotateToken() }),
    facts: () => host.facts.read(),
    findings: () => host.facts.findings(),
    ...createPluginCommands(host),
  };
}

/** Creates the commands that list, install, enable and remove plugins. They run one at a time, since they change folders. */
function createPluginCommands(host: ControlHost): ControlCommands {
  const { plugins, guard, data, audit } = host;
  const turns = createKeyedLock();
  const inTurn = <Result>(work: () => Promise<Result>) =>
    turns.run("plugins", work);
  return {
    "plugins-list": () => plugins.list().map(toLine),
    "plugins-add": ({ tarball }: { tarball: string }) =>
      inTurn(async () => toLine(await install(host, tarball))),
    "plugins-enable": ({ id }: { id: string }) =>
      inTurn(async () => {
        const plugin = findPlugin(host, id);
        guard.forgive(plugin.id);
        if (!plugin.package) return toLine(plugin);
        const enabled = await reload(host, plugin.package);
        await audit.record("plugin.enabled", await describePlugin(enabled));
        return toLine(enabled);
      }),
    "plugins-remove": ({ id, keepData }: { id: string; keepData?: boolean }) =>
      inTurn(async () => {
        const plugin = findPlugin(host, id);
        const removed = await describePlugin(plugin);
        if (plugin.origin !== "home")
          throw errors.PLUGIN_INVALID({
            reason: `"${plugin.id}" is delivered with the daemon; leave it out with --plugins`,
          });
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

/** Finds a plugin by its id or the name of its package. @throws `PLUGIN_NOT_FOUND` */
function findPlugin({ plugins }: ControlHost, id: string): PluginStatus {
  const plugin = plugins
    .list()
    .find((known) => known.id === id || known.package?.packageName === id);
  if (!plugin) throw errors.PLUGIN_NOT_FOUND({ id });
  return plugin;
}

/** Loads and starts the current code in a folder, in place of the code that was loaded from it before. */
async function reload(
  { plugins, data }: ControlHost,
  plugin: PluginPackage,
): Promise<PluginStatus> {
  const added = await plugins.replace(plugin);
  await data.claim(plugins.list());
  return added;
}

/**
 * Installs a plugin and starts it. If that fails, the earlier version runs again.
 *
 * @throws `PLUGIN_INVALID` if its code cannot be loaded or its definition conflicts with another plugin
 */
async function install(
  host: ControlHost,
  tarball: string,
): Promise<PluginStatus> {
  const { plugins, guard, home, audit } = host;
  let before: PluginPackage | undefined;
  let added: PluginStatus | undefined;
  try {
    await installTarball(tarball, home.plugins, async (candidate) => {
      const running = plugins
        .list()
        .find(({ folder }) => folder === candidate.folder);
      before = running?.package;
      // The code may differ from the code that crashed the daemon.
      guard.forgive(candidate.name);
      if (running) guard.forgive(running.id);
      added = await reload(host, candidate);
      if (added.definition) return;
      await plugins.remove(added.id);
      const reason = added.reason ?? "it is refused";
      throw errors.PLUGIN_INVALID({ reason });
    });
  } catch (error) {
    if (before) await reload(host, before);
    throw error;
  }
  await audit.record("plugin.added", await describePlugin(added!));
  return added!;
}
