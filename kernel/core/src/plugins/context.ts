import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type {
  Clock,
  DaemonCheck,
  DaemonView,
  EventLog,
  Log,
  PluginContext,
  PluginDefinition,
  WholeHome,
} from "@gantry/plugin";
import type { Audit } from "@gantry/system/audit/audit";
import { createPluginAudit } from "@gantry/system/audit/plugin-audit";
import type { EventBus } from "@gantry/store/events/event-bus";
import type { Home } from "@gantry/system/home/home";
import type { App } from "@gantry/http/app";
import type { Connections } from "@gantry/http/connections";
import type { OutboundConnect } from "@gantry/system/outbound/outbound-connect";
import type { OutboundFetch } from "@gantry/system/outbound/outbound-fetch";
import { createRun } from "@gantry/system/processes/run";
import type { RunHost } from "@gantry/system/processes/run";
import {
  runInContext,
  runOutsideUnit,
} from "@gantry/system/context/work-context";
import { scheduleJob } from "@gantry/system/schedule/cron";
import type { WholeHomeOwner } from "@gantry/restore/whole-home";
import type { StoreHost } from "@gantry/store/collection-host";
import { createContextRoutes } from "./context-routes.ts";
import { createContextServices } from "./context-services.ts";
import { createContextStore } from "./context-store.ts";
import { ownClock } from "./owned-clock.ts";
import { ownConnect } from "./own-connect.ts";
import type { Scope } from "./scope.ts";
import { createSeam } from "./seam.ts";
import type { Seam } from "./seam.ts";
import type { ServiceRegistry } from "./service-registry.ts";

/** The parts of the kernel that plugins reach through their context. */
export interface ContextHost {
  app: App;
  connections: Connections;
  bus: EventBus;
  eventLog: EventLog;
  clock: Clock;
  audit: Audit;
  services: ServiceRegistry;
  checks: Set<DaemonCheck>;
  store: Pick<StoreHost, "core" | "quarantine" | "clock">;
  run: RunHost;
  outboundFetch: OutboundFetch;
  outboundConnect: OutboundConnect;
  daemon: DaemonView;
  home: Home;
  wholeHome(owner: WholeHomeOwner): WholeHome;
  /** Where people find the pages. */
  origin: string;
  /** Where programs on this machine find the daemon. */
  localOrigin: string;
  logOf(plugin: string): Log;
}

/**
 * Makes what one run of a plugin sees of the kernel. Everything that it registers belongs to the scope.
 *
 * @param isSystem Whether the plugin is a part of the daemon itself.
 */
export function createPluginContext(
  host: ContextHost,
  definition: PluginDefinition,
  config: unknown,
  scope: Scope,
  isSystem = false,
): PluginContext {
  const { id } = definition;
  const log = host.logOf(id);
  const seam = createSeam({ definition, scope, log, isSystem });
  const { alive, requireRunning } = seam;
  const { daemon, eventLog } = host;
  const { signal } = scope;
  const run = createRun(host.run, id, signal);
  const store = createContextStore(host.store, seam);
  // The first thing added is the last undone: children and connections end after all that uses them.
  scope.own((deadline) => run.endAll(deadline));
  scope.own(() => host.connections.endPlugin(id));
  return {
    ...createContextServices(host.services, seam),
    ...createContextRoutes(host.app, seam),
    ...createSources(host, seam),
    ...{ config, log, signal, store },
    clock: ownClock(seam, host.clock),
    run: Object.assign(alive(run), {
      collect: alive(run.collect),
      detach: alive(run.detach),
      find: run.find,
    }),
    home: host.home.folder,
    wholeHome: host.wholeHome({ id, signal }),
    origin: host.origin,
    localOrigin: host.localOrigin,
    fetch: alive((url, init) =>
      host.outboundFetch(url, { ...init, signal: init?.signal ?? signal }),
    ),
    connect: alive(ownConnect(seam, host.outboundConnect)),
    prepare: (work) => runOutsideUnit(work),
    emit: (...events) => store.batch([], events),
    audit: createPluginAudit(host.audit.as(id), requireRunning),
    events: {
      latest: alive(eventLog.latest),
      holds: alive(eventLog.holds),
      read: alive(eventLog.read),
    },
    own: (dispose) => scope.own(dispose),
    folder: alive(async () => {
      const folder = join(host.home.data, id);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      return folder;
    }),
    daemon: {
      ...daemon,
      plugins: alive(daemon.plugins),
      programs: alive(daemon.programs),
      logLines: alive(daemon.logLines),
      operations: alive(daemon.operations),
      facts: alive(daemon.facts),
      checks: alive(daemon.checks),
      quarantine: isSystem ? daemon.quarantine : undefined,
    },
  };
}

/** What brings a plugin new work. */
function createSources(
  { bus, checks, clock }: ContextHost,
  { id, scope, log, alive, ownSource }: Seam,
): Pick<PluginContext, "on" | "cron" | "diagnose"> {
  return {
    on: alive((token, listener, options) =>
      ownSource(
        bus.on(
          id,
          token,
          (event) => scope.follow((async () => listener(event))()),
          options,
        ),
      ),
    ),
    cron: alive((line, job, { timezone }) =>
      ownSource(
        scheduleJob(
          {
            ...{ plugin: id, line, timezone },
            job: (signal) => scope.follow((async () => job(signal))()),
          },
          { clock, log },
        ),
      ),
    ),
    // Not followed: a check has a time limit of its own, and a stop need not wait for one that hangs.
    diagnose: alive((check) => {
      const entry = {
        plugin: id,
        run: () => runInContext({ plugin: id }, async () => check()),
      };
      checks.add(entry);
      return ownSource(() => void checks.delete(entry));
    }),
  };
}
