import { rm } from "node:fs/promises";
import { join } from "node:path";
import { keyPart } from "@gantry/plugin";
import type { EventRecord } from "@gantry/plugin";
import type { Audit } from "./audit/audit.ts";
import { describePlugin } from "./audit/record-plugins.ts";
import type { NewCode } from "./auth/pairing.ts";
import type { DoctorReport } from "./doctor/report.ts";
import { errors } from "./errors.ts";
import type { Home } from "./home/home.ts";
import type { ControlCommands } from "./home/control.ts";
import type { CrashGuard } from "./plugins/crash-guard.ts";
import { installTarball } from "./plugins/install.ts";
import type { PluginHost } from "./plugins/plugin-host.ts";
import type { PluginStatus } from "./plugins/plugin-status.ts";
import type { Quarantine } from "./store/quarantine.ts";
import type { StoreCore } from "./store/store-core.ts";

/** What the owner's commands stand on. */
export interface ControlHost {
  url: string;
  home: Home;
  core: StoreCore;
  quarantine: Pick<Quarantine, "deleteOf">;
  plugins: PluginHost;
  guard: CrashGuard;
  audit: Pick<Audit, "record" | "flush">;
  /** Replaces the install token. */
  rotateToken(): Promise<string>;
  pair(): NewCode & { url: string };
  /** How the daemon stands. */
  examine(): Promise<DoctorReport>;
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
  const { plugins, guard, home, core, audit } = host;
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

  return {
    status: () => ({
      url: host.url,
      pid: process.pid,
      plugins: plugins.list().map(toLine),
    }),
    pair: async () => {
      const code = host.pair();
      await audit.flush();
      return code;
    },
    "rotate-token": async () => ({ token: await host.rotateToken() }),
    doctor: () => host.examine(),
    "plugins-list": () => plugins.list().map(toLine),
    "plugins-add": async ({ tarball }: { tarball: string }) => {
      const installed = await installTarball(tarball, home.plugins);
      const added = await plugins.replace(installed);
      await audit.record("plugin.added", await describePlugin(added));
      return toLine(added);
    },
    "plugins-enable": async ({ id }: { id: string }) => {
      const plugin = find(id);
      guard.forgive(plugin.id);
      if (!plugin.package) return toLine(plugin);
      const enabled = await plugins.replace(plugin.package);
      await audit.record("plugin.enabled", await describePlugin(enabled));
      return toLine(enabled);
    },
    "plugins-remove": async ({
      id,
      keepData,
    }: {
      id: string;
      keepData?: boolean;
    }) => {
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
      if (!keepData) {
        await removeData(core, plugin.id);
        await host.quarantine.deleteOf(plugin.id);
        await rm(join(home.data, plugin.id), { recursive: true, force: true });
      }
      await audit.record("plugin.removed", removed);
      return { id: plugin.id };
    },
  };
}

/** Removes every key of a plugin, its places in the log, and its events. */
async function removeData(core: StoreCore, id: string): Promise<void> {
  const prefixes = [
    `${id}:`,
    `kernel:collection:${id}:`,
    `kernel:cursor:${keyPart(id)}:`,
  ];
  const keys = (
    await Promise.all(prefixes.map((prefix) => core.engine.keys(prefix)))
  ).flat();
  for (const key of await core.engine.keys("kernel:event:")) {
    const event = (await core.engine.get(key)) as EventRecord | undefined;
    if (event?.plugin === id) keys.push(key);
  }
  await core.engine.commit(keys.map((key) => ({ type: "remove", key })));
}
