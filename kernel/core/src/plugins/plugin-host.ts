import { createKeyedLock } from "@gantry/plugin";
import { errors } from "@gantry/system/errors";
import type { Deadline } from "@gantry/system/shutdown/deadline";
import { createStopDeadline } from "@gantry/system/shutdown/shutdown";
import { within } from "@gantry/system/shutdown/deadline";
import { loadDefinition } from "./definition.ts";
import { createLifeCycle } from "./life-cycle.ts";
import type { LifeCycleHost } from "./life-cycle.ts";
import type { PluginPackage } from "@gantry/system/plugin-packages/manifest";
import { createPluginRegister } from "./plugin-register.ts";
import { PluginChanged } from "./plugin-status.ts";
import type { PluginEntry, PluginStatus } from "./plugin-status.ts";

/**
 * Loads, starts and stops plugins. Nothing that one of them does keeps another from working. Calls that change what runs take
 * effect one after the other.
 */
export type PluginHost = ReturnType<typeof createPluginHost>;

/** Makes a host without plugins. */
export function createPluginHost(host: LifeCycleHost) {
  const { context, guard, signal } = host;
  const log = context.logOf("kernel");
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

  async function load(plugin: PluginPackage): Promise<void> {
    signal.throwIfAborted();
    const skip = guard.verdict(plugin.name);
    if (skip) {
      register.add(plugin.name, { state: "failed", reason: skip }, plugin);
      return;
    }
    guard.running(plugin.name);
    try {
      const loading = loadDefinition(plugin);
      register.addDefinition(await within(loading, { signal }), plugin);
    } catch (error) {
      signal.throwIfAborted();
      log.error("Plugin not loaded", { plugin: plugin.name }, error);
      const reason = `it could not be loaded: ${(error as Error).message}`;
      register.add(plugin.name, { state: "failed", reason }, plugin);
    }
  }

  async function loadAll(packages: readonly PluginPackage[]): Promise<void> {
    try {
      for (const plugin of packages) await load(plugin);
    } finally {
      guard.running(null);
    }
  }

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
    list: (): PluginStatus[] => register.list(),
    add: register.add,
    addDefinition: register.addDefinition,
    /** Loads packages and adds them, without starting. A name that is taken is refused as `failed`. */
    addPackages: (packages: readonly PluginPackage[]) =>
      inTurn(() => loadAll(packages)),
    /** Starts all that can start and do not run yet. */
    start: () => inTurn(lifeCycle.start),
    /** Stops one plugin and, before it, the plugins that need it. */
    stop: (id: string) => inTurn(async () => lifeCycle.stop([require(id)])),
    /** Stops all, and starts none after that. */
    stopAll: (deadline?: Deadline) =>
      inTurn(() => lifeCycle.stop(register.list(), undefined, deadline)),
    /** Counts an uncaught fault of a plugin: its id, or the name of its package. Gives how many it had since the start. */
    countFault(name: string): number {
      const entry = register.find(name);
      return entry ? ++entry.faults : 1;
    },
    /** Stops a plugin for what it did, and leaves it `failed`. Its id, or the name of its package. */
    fail: (name: string, reason: string) =>
      inTurn(async () => {
        const entry = register.find(name);
        if (entry) await lifeCycle.stop([entry], { state: "failed", reason });
      }),
    /**
     * Stops plugins and those that need them while some work is done.
     *
     * @param work Resolves with whether they start again, which they do not either if it rejects or the daemon is to stop.
     */
    pause: (ids: readonly string[], work: () => Promise<boolean>) =>
      inTurn(async () => {
        const entries = ids.flatMap((id) => register.get(id) ?? []);
        const reason = "its data is being replaced";
        await lifeCycle.stop(
          entries,
          { state: "waiting", reason },
          createStopDeadline(),
        );
        if (await work()) await lifeCycle.start();
      }),
    /** Ids of the plugins that one needs, and of those that they need. */
    neededBy(id: string): Set<string> {
      const entry = register.get(id);
      return new Set(entry && lifeCycle.neededBy(entry).map(({ id }) => id));
    },
    /** Stops a plugin and forgets it. */
    remove: (id: string) => inTurn(async () => remove(require(id))),
    /** Loads a package in the place of the plugin that was loaded from the same folder, and starts it. */
    replace: (plugin: PluginPackage) =>
      inTurn(async (): Promise<PluginStatus> => {
        const inFolder = () =>
          register.list().find(({ folder }) => folder === plugin.folder);
        const before = inFolder();
        if (before) await remove(before);
        await loadAll([plugin]);
        await lifeCycle.start();
        const added = inFolder();
        if (!added) throw errors.PLUGIN_NOT_FOUND({ id: plugin.name });
        return added;
      }),
    /** The error for a path whose plugin is not active. */
    unavailableAt(path: string): Error | undefined {
      for (const { id, state, definition } of register.list()) {
        if (state === "active") continue;
        const owns = definition?.mounts.some(
          (mount) => path === mount || path.startsWith(`${mount}/`),
        );
        if (owns) return errors.PLUGIN_UNAVAILABLE({ id, state });
      }
      return undefined;
    },
  };
}
