import { createKeyedLock } from "@gantry/plugin";
import type { PluginDefinition } from "@gantry/plugin";
import { errors } from "../errors.ts";
import type { Deadline } from "@gantry/system/clock/deadline";
import { unlessAborted } from "@gantry/system/clock/unless-aborted";
import { loadDefinition } from "./definition.ts";
import type { BrokenPackage } from "./discover.ts";
import { createLifeCycle } from "./life-cycle.ts";
import type { LifeCycleHost } from "./life-cycle.ts";
import type { PluginPackage } from "./manifest.ts";
import { findInactive } from "./mounts.ts";
import { createPluginRegister } from "./plugin-register.ts";
import type { PluginRegister } from "./plugin-register.ts";
import { PluginChanged } from "./plugin-status.ts";
import type { PluginEntry, PluginStatus } from "./plugin-status.ts";
import type { ServiceRegistry } from "./service-registry.ts";

/**
 * Loads, starts and stops plugins. A fault of one plugin does not affect the others. Calls that change which plugins run are
 * queued and run one at a time.
 */
export interface PluginHost {
  readonly services: ServiceRegistry;
  list(): PluginStatus[];
  /** Loads packages and adds them, without starting. A name that is taken is refused as `failed`. */
  addPackages(packages: readonly PluginPackage[]): Promise<void>;
  /** Adds a plugin from a definition, without loading code. */
  addDefinition(definition: PluginDefinition): void;
  /** Adds a folder that cannot be used. */
  addBroken(broken: BrokenPackage): void;
  /** Adds a package without loading its code. */
  addDisabled(plugin: PluginPackage, reason: string): void;
  /** Starts all plugins that can start and do not run yet. */
  start(): Promise<void>;
  /** Runs several additions and starts as one start pass: callbacks of `whenStarted` run after `work`. */
  duringStart(work: () => Promise<void>): Promise<void>;
  /** Stops one plugin and, before it, the plugins that need it. */
  stop(id: string): Promise<void>;
  /** Stops all plugins. */
  stopAll(deadline?: Deadline): Promise<void>;
  /** Stops a plugin by its id or the name of its package, and sets its state to `failed`. */
  fail(name: string, reason: string): Promise<void>;
  /**
   * Stops plugins and those that need them, and starts them again once some work is done. If that rejects, or the daemon is to
   * stop, they stay as they are.
   */
  pause(ids: readonly string[], work: () => Promise<void>): Promise<void>;
  /** Stops a plugin and removes it from the list. */
  remove(id: string): Promise<void>;
  /** Loads and starts a package in place of the plugin that was loaded from the same folder. */
  replace(plugin: PluginPackage): Promise<PluginStatus>;
  /** The error for a path whose plugin is not active. */
  unavailableAt(path: string): Error | undefined;
}

/** Creates a host without plugins. */
export function createPluginHost(host: LifeCycleHost): PluginHost {
  const { context } = host;
  const register = createPluginRegister();
  const lifeCycle = createLifeCycle(host, register);
  const turns = createKeyedLock();
  const inTurn = <Result>(work: () => Promise<Result>) =>
    turns.run("plugins", work);

  const require = (id: string): PluginEntry => {
    const entry = register.get(id);
    if (!entry) throw errors.PLUGIN_NOT_FOUND({ id });
    return entry;
  };

  async function remove(entry: PluginEntry): Promise<void> {
    await lifeCycle.stop([entry]);
    const { id } = entry;
    register.delete(id);
    await host.emit(
      PluginChanged.of(id, { state: "disabled", reason: "removed" }),
    );
  }

  return {
    services: context.services,
    list: register.list,
    addDefinition: register.addDefinition,
    addBroken: ({ name, ...known }) =>
      register.add(name, { ...known, state: "failed" }),
    addDisabled: (plugin, reason) =>
      register.add(plugin.name, { state: "disabled", reason }, plugin),
    addPackages: (packages) =>
      inTurn(async () => {
        for (const plugin of packages) await load(host, register, plugin);
      }),
    start: () => inTurn(lifeCycle.start),
    duringStart: (work) => context.startPass.during(work),
    stop: (id) => inTurn(async () => lifeCycle.stop([require(id)])),
    stopAll: (deadline) =>
      inTurn(() => lifeCycle.stop(register.list(), undefined, deadline)),
    fail: (name, reason) =>
      inTurn(async () => {
        const entry = register.find(name);
        if (entry) await lifeCycle.stop([entry], { state: "failed", reason });
      }),
    pause: (ids, work) =>
      inTurn(async () => {
        const entries = ids.flatMap((id) => register.get(id) ?? []);
        const reason = "its data is being replaced";
        await lifeCycle.stop(entries, { state: "waiting", reason });
        await work();
        await lifeCycle.start();
      }),
    remove: (id) => inTurn(async () => remove(require(id))),
    replace: (plugin) =>
      inTurn(async () => {
        const inFolder = () =>
          register.list().find(({ folder }) => folder === plugin.folder);
        const before = inFolder();
        if (before) await remove(before);
        await load(host, register, plugin);
        await lifeCycle.start();
        const added = inFolder();
        if (!added) throw errors.PLUGIN_NOT_FOUND({ id: plugin.name });
        return added;
      }),
    unavailableAt(path) {
      const found = findInactive(register.list(), path);
      if (!found) return undefined;
      const { id, state } = found;
      return errors.PLUGIN_UNAVAILABLE({ id, state });
    },
  };
}

/** Loads a package into the register: as `failed` if the crash guard skips it or its code cannot be loaded. */
async function load(
  { guard, log, signal }: LifeCycleHost,
  register: PluginRegister,
  plugin: PluginPackage,
): Promise<void> {
  signal.throwIfAborted();
  const { name } = plugin;
  const skip = guard.verdict(name);
  if (skip)
    return register.add(name, { state: "failed", reason: skip }, plugin);
  guard.running(name);
  try {
    const loading = loadDefinition(plugin);
    register.addDefinition(await unlessAborted(signal, loading), plugin);
  } catch (error) {
    signal.throwIfAborted();
    log.error("Plugin not loaded", { plugin: name }, error);
    const reason = `it could not be loaded: ${(error as Error).message}`;
    register.add(name, { state: "failed", reason }, plugin);
  } finally {
    guard.running(null);
  }
}
