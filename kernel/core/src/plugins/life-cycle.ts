import type { PluginDefinition } from "@gantry/plugin";
import type { Deadline } from "@gantry/system/clock/deadline";
import { orderPlugins } from "./order.ts";
import type { PluginRegister } from "./plugin-register.ts";
import type { PluginEntry } from "./plugin-status.ts";
import type { ServiceRegistry } from "./service-registry.ts";
import { startPlugin } from "./start-plugin.ts";
import type { StartHost } from "./start-plugin.ts";
import { createStateWriter } from "./state-writer.ts";
import type { StateWriterHost } from "./state-writer.ts";
import { stopPlugins } from "./stop-plugins.ts";
import type { StopOutcome } from "./stop-plugins.ts";

/** Dependencies of {@link createLifeCycle}. */
export interface LifeCycleHost extends StateWriterHost, StartHost {}

/** Starts and stops the plugins of a register, one call after the other. */
export interface LifeCycle {
  /** Starts all plugins that can start and do not run yet. Rejects with the signal's reason if the daemon is to stop. */
  start(): Promise<void>;
  /** Stops plugins and those that need them, see {@link stopPlugins}. */
  stop(
    entries: readonly PluginEntry[],
    outcome?: StopOutcome,
    deadline?: Deadline,
  ): Promise<void>;
}

/** Finds the name of a service that a plugin needs and that is not available. */
function findMissingNeed(
  { needs = {} }: PluginDefinition,
  services: ServiceRegistry,
): string | undefined {
  return Object.values(needs).find(({ id }) => !services.get(id))?.id;
}

/** The order in which the plugins of a register start. Services of the kernel are available before any of them. */
function findOrder(register: PluginRegister, services: ServiceRegistry) {
  return orderPlugins(
    register
      .list()
      .filter(({ state }) => state !== "failed")
      .flatMap(({ definition }) => definition ?? []),
    (serviceId) => services.providerOf(serviceId) === "kernel",
  );
}

/** Creates the life cycle of a register. */
export function createLifeCycle(
  host: LifeCycleHost,
  register: PluginRegister,
): LifeCycle {
  const { context, log, signal } = host;
  const { services } = context;
  const states = createStateWriter(host);
  const setState = states.set;
  const startHost = { ...host, setState, definitions: register.definitions };
  const stopHost = { log, services, register, setState };

  async function startAll(): Promise<void> {
    const { ids, blocked } = findOrder(register, services);
    for (const [id, { state, reason }] of blocked) {
      const entry = register.get(id);
      if (entry && !entry.scope) await setState(entry, state, reason);
    }
    for (const id of ids) {
      signal.throwIfAborted();
      const entry = register.get(id);
      if (!entry?.definition || entry.scope) continue;
      // A plugin that it needs may have failed in this pass.
      const missing = findMissingNeed(entry.definition, services);
      if (missing)
        await setState(entry, "waiting", `nothing provides ${missing} now`);
      else await startPlugin(startHost, entry, entry.definition);
    }
    signal.throwIfAborted();
  }

  return {
    start: () => context.startPass.during(() => states.batch(startAll)),
    stop: (...args) => stopPlugins(stopHost, ...args),
  };
}
