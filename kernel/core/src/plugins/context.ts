import type { PluginContext, PluginDefinition } from "@gantry/plugin";
import { createPluginAudit } from "@gantry/audit/plugin-audit";
import { runOutsideUnit } from "@gantry/system/context/work-context";
import { createGit } from "@gantry/system/git/git";
import { createRun } from "@gantry/system/processes/run";
import { openEventLog } from "./open-event-log.ts";
import { ownConnect } from "./own-connect.ts";
import { ownClock } from "./owned-clock.ts";
import type { PluginContextHost } from "./plugin-context-host.ts";
import { createPluginEndpoints } from "./plugin-endpoints.ts";
import { ensurePrivateFolder, pluginFolders } from "./plugin-folders.ts";
import { createPluginInstance } from "./plugin-instance.ts";
import { createPluginServices } from "./plugin-services.ts";
import { openPluginStore } from "./plugin-store.ts";
import { createPluginWork } from "./plugin-work.ts";
import type { Scope } from "./scope.ts";

/** Creates the context of one run of a plugin. Everything that it registers belongs to the scope. */
export function createPluginContext(
  host: PluginContextHost,
  definition: PluginDefinition,
  config: unknown,
  scope: Scope,
): PluginContext {
  const { id } = definition;
  const { signal } = scope;
  const log = host.logOf(id);
  const instance = createPluginInstance(definition, scope, log);
  const { whileActive } = instance;

  // Cleanup runs newest first: timers, children and connections end after everything that uses them.
  const clock = ownClock(id, host.clock, log, scope);
  const allRuns = createRun(host.run, id, signal);
  scope.own((deadline) => allRuns.endAll(deadline));
  scope.own(() => host.connections.endPlugin(id));

  const run = Object.assign(whileActive(allRuns), {
    collect: whileActive(allRuns.collect),
    detach: whileActive(allRuns.detach),
    find: allRuns.find,
  });
  const store = openPluginStore(host, instance);
  const folders = pluginFolders(host.home, id);
  const { daemon, gitViews, outboundFetch } = host;
  const { environment } = host.run;

  return {
    ...createPluginServices(host.services, instance),
    ...createPluginEndpoints(host, instance),
    ...createPluginWork(host, instance),
    ...{ config, clock, log, signal, store, run },
    eventLog: openEventLog(host, instance),
    git: createGit({ run, views: gitViews, environment }),
    home: host.home.folder,
    wholeHome: host.wholeHome({ id, signal }),
    origin: host.origin,
    localOrigin: host.localOrigin,
    fetch: whileActive((url, init) =>
      outboundFetch(url, { ...init, signal: init?.signal ?? signal }),
    ),
    connect: ownConnect(host.outboundConnect, instance),
    prepare: (work) => runOutsideUnit(work),
    emit: (...events) => store.batch([], events),
    audit: createPluginAudit(host.audit.as(id), instance.throwIfOver),
    own: (dispose) => scope.own(dispose),
    folder: whileActive(() => ensurePrivateFolder(folders.data)),
    machineFolder: whileActive(() => ensurePrivateFolder(folders.machine)),
    cacheFolder: whileActive(() => ensurePrivateFolder(folders.cache)),
    daemon: {
      ...daemon,
      self: whileActive(daemon.self),
      plugins: whileActive(daemon.plugins),
      pluginUis: whileActive(daemon.pluginUis),
      processes: whileActive(daemon.processes),
      endProcess: whileActive(daemon.endProcess),
      logLines: whileActive(daemon.logLines),
    },
  };
}
