import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type {
  Clock,
  DaemonCheck,
  DaemonView,
  Disposer,
  EventLog,
  Log,
  PluginContext,
  PluginDefinition,
  WholeHome,
} from "@gantry/plugin";
import type { Audit } from "@gantry/system/audit/audit";
import { createPluginAudit } from "@gantry/system/audit/plugin-audit";
import { errors } from "@gantry/system/errors";
import type { EventBus } from "@gantry/store/events/event-bus";
import type { Home } from "@gantry/system/home/home";
import type { App } from "@gantry/http/app";
import type { Connections } from "@gantry/http/connections";
import type { OutboundConnect } from "@gantry/system/outbound/outbound-connect";
import type { OutboundFetch } from "@gantry/system/outbound/outbound-fetch";
import { createRun } from "@gantry/system/processes/run";
import type { RunHost } from "@gantry/system/processes/run";
import { createOwnedSignal } from "@gantry/system/context/owned-signal";
import {
  currentContext,
  runAsPlugin,
  runInContext,
  runOutsideUnit,
} from "@gantry/system/context/work-context";
import { scheduleJob } from "@gantry/system/schedule/cron";
import type { WholeHomeOwner } from "@gantry/restore/whole-home";
import type { StoreHost } from "@gantry/store/collection-host";
import { createScopedStore } from "@gantry/store/scoped-store";
import { ownClock } from "./owned-clock.ts";
import { ownConnect } from "./own-connect.ts";
import { ownService } from "./owned-service.ts";
import type { Scope } from "./scope.ts";
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
  const { inFlight, signal } = scope;
  const owner = { plugin: id, inFlight, signal, isSystem };
  const run = createRun(host.run, id, scope.signal);
  const declared = new Set(
    (definition.events ?? []).map((event) => event.type),
  );
  const provides = new Set(
    (definition.provides ?? []).map((token) => token.id),
  );

  const wanted = new Set(
    Object.values(definition.wants ?? {}).map((token) => token.id),
  );

  const needs: Record<string, unknown> = {};
  for (const [name, token] of Object.entries(definition.needs ?? {}))
    needs[name] = host.services.get(token.id);
  const wants: Record<string, () => unknown> = {};
  for (const [name, token] of Object.entries(definition.wants ?? {}))
    wants[name] = () => host.services.get(token.id);

  function checkMount(path: string): void {
    if (
      definition.mounts.some(
        (mount) => path === mount || path.startsWith(`${mount}/`),
      )
    )
      return;
    throw new TypeError(
      `${path} is outside the mounts of "${id}": ${definition.mounts.join(", ")}.`,
    );
  }

  const checkEvents = (events: readonly { type: string }[] = []) => {
    const unknown = events.find((event) => !declared.has(event.type));
    if (unknown)
      throw new TypeError(
        `"${id}" emits ${unknown.type} but does not declare it in its events.`,
      );
  };

  const { core } = host.store;
  const store = createScopedStore(id, {
    ...host.store,
    log,
    signal: scope.signal,
    onUpkeep: scope.followUpkeep,
    core: {
      ...core,
      async commit(writer, operations, events) {
        // A promise that a stopped plugin left behind can no longer write.
        if (scope.isOver) throw errors.PLUGIN_STOPPED({ id });
        if (writer === id) checkEvents(events);
        await core.commit(writer, operations, events);
      },
    },
  });

  // The first thing added is the last undone: children and connections end after all that uses them.
  scope.own((deadline) => run.endAll(deadline));
  scope.own(() => host.connections.endPlugin(id));

  /** What may no longer be used once the plugin begins to stop. */
  const alive =
    <Arguments extends unknown[], Result>(
      work: (...args: Arguments) => Result,
    ) =>
    (...args: Arguments): Result => {
      if (scope.signal.aborted) throw errors.PLUGIN_STOPPED({ id });
      return work(...args);
    };

  const ownRun = Object.assign(alive(run), {
    collect: alive(run.collect),
    detach: alive(run.detach),
    find: run.find,
  });

  /** Owns a source of work, which is removed when the stop begins; work in progress may finish. */
  function ownSource(remove: Disposer): Disposer {
    scope.signal.addEventListener("abort", remove, { once: true });
    return scope.own(() => {
      scope.signal.removeEventListener("abort", remove);
      remove();
    });
  }

  return {
    config,
    needs,
    wants,
    clock: ownClock(id, host.clock, { log, scope }),
    log,
    signal: scope.signal,
    store,
    run: ownRun,
    home: host.home.folder,
    wholeHome: host.wholeHome({ id, signal: scope.signal }),
    origin: host.origin,
    localOrigin: host.localOrigin,
    fetch: alive((url, init) =>
      host.outboundFetch(url, {
        ...init,
        signal: init?.signal ?? scope.signal,
      }),
    ),
    connect: alive(ownConnect(id, host.outboundConnect, scope)),
    route: alive((route) => {
      checkMount(route.path);
      return scope.own(host.app.table.addRoute({ definition: route, owner }));
    }),
    socket: alive((socket) => {
      checkMount(socket.path);
      return scope.own(host.app.table.addSocket({ definition: socket, owner }));
    }),
    handler: alive((handler) => {
      checkMount(handler.path);
      const record = { definition: handler, owner };
      return scope.own(host.app.table.addHandler(record));
    }),
    prepare: (work) => runOutsideUnit(work),
    emit: (...events) => store.batch([], events),
    audit: createPluginAudit(host.audit.as(id), () => {
      if (scope.isOver) throw errors.PLUGIN_STOPPED({ id });
    }),
    events: {
      latest: alive(host.eventLog.latest),
      holds: alive(host.eventLog.holds),
      read: alive(host.eventLog.read),
    },
    on: alive((token, listener, options) =>
      ownSource(
        host.bus.on(
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
            plugin: id,
            line,
            timezone,
            job: (signal) => scope.follow((async () => job(signal))()),
          },
          { clock: host.clock, log },
        ),
      ),
    ),
    whenThere: alive((token, work) => {
      if (!wanted.has(token.id))
        throw new TypeError(
          `"${id}" does not declare ${token.id} in its wants.`,
        );
      type Service = Parameters<typeof work>[0];
      return ownSource(
        host.services.watch(token.id, (service, gone) => {
          const left = createOwnedSignal(id);
          gone.addEventListener("abort", () => left.abort());
          const done = runInContext({ plugin: id }, async () =>
            work(service as Service, left.signal),
          );
          void scope.follow(done).catch((error: unknown) => {
            log.error("A service could not be used", { id: token.id }, error);
          });
        }),
      );
    }),
    // Not followed: a check has a time limit of its own, and a stop need not wait for one that hangs.
    diagnose: alive((check) => {
      const entry = {
        plugin: id,
        run: () => runInContext({ plugin: id }, async () => check()),
      };
      host.checks.add(entry);
      return ownSource(() => void host.checks.delete(entry));
    }),
    provide: alive((token, service) => {
      if (!provides.has(token.id))
        throw new TypeError(
          `"${id}" does not declare ${token.id} in its provides.`,
        );
      return scope.own(
        host.services.provide(token.id, id, ownService(id, service)),
      );
    }),
    caller() {
      const context = currentContext();
      const caller = context?.plugin === id ? context.caller : undefined;
      if (caller === undefined) return undefined;
      return { plugin: caller, run: (work) => runAsPlugin(caller, work) };
    },
    own: (dispose) => scope.own(dispose),
    folder: alive(async () => {
      const folder = join(host.home.data, id);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      return folder;
    }),
    daemon: {
      ...host.daemon,
      plugins: alive(host.daemon.plugins),
      programs: alive(host.daemon.programs),
      logLines: alive(host.daemon.logLines),
      facts: alive(host.daemon.facts),
      checks: alive(host.daemon.checks),
      quarantine: isSystem ? host.daemon.quarantine : undefined,
    },
  };
}
