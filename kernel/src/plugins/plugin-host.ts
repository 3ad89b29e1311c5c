import { defineEvent, isGantryError, NoticeRaised } from "@gantry/plugin";
import type { Log, NewEvent, PluginDefinition } from "@gantry/plugin";
import { runInContext } from "../context/work-context.ts";
import { errors } from "../errors.ts";
import { createPluginContext } from "./context.ts";
import type { ContextHost } from "./context.ts";
import type { CrashGuard } from "./crash-guard.ts";
import type { BrokenPackage } from "./discover.ts";
import type { PluginOrigin, PluginPackage } from "./manifest.ts";
import {
  checkDefinition,
  loadDefinition,
  readConfig,
  START_LIMIT_MS,
} from "./definition.ts";
import { orderPlugins } from "./order.ts";
import { createScope, within } from "./scope.ts";
import type { Scope } from "./scope.ts";
import type { ServiceRegistry } from "./service-registry.ts";

/** The life of a plugin. */
export type PluginState =
  "disabled" | "waiting" | "starting" | "active" | "stopping" | "failed";

export const PluginChanged = defineEvent<{
  state: PluginState;
  reason: string | null;
}>("kernel.plugin-changed", "A plugin became active, stopped or failed.");

/** What is known of one plugin. */
export interface PluginStatus {
  id: string;
  summary: string;
  version: string;
  origin: PluginOrigin;
  state: PluginState;
  reason: string | null;
  /** Where it is on disk, `undefined` for one whose code came otherwise. */
  folder: string | undefined;
  /** What its folder says of it, `undefined` if that cannot be read. */
  package: PluginPackage | undefined;
  definition: PluginDefinition | undefined;
}

interface Entry extends PluginStatus {
  scope: Scope | undefined;
}

/** What the host stands on. */
export interface PluginHostOptions {
  context: ContextHost;
  guard: CrashGuard;
  log: Log;
  /** The plugin's section of the configuration. */
  configOf(id: string): unknown;
  /** Takes secrets out of what a plugin says of its failure, which is stored and shown. */
  redact(text: string): string;
  /** Writes kernel events. */
  emit(...events: NewEvent[]): Promise<void>;
}

/** Loads, starts and stops plugins. Nothing that one of them does keeps another from working. */
export interface PluginHost {
  readonly services: ServiceRegistry;
  list(): PluginStatus[];
  /** Loads packages and adds them, without starting. A name that is taken is refused as `failed`. */
  addPackages(packages: readonly PluginPackage[]): Promise<void>;
  /** Adds a plugin whose code is loaded already. */
  addDefinition(definition: PluginDefinition): void;
  /** Adds a folder that cannot be used. */
  addBroken(broken: BrokenPackage): void;
  /** Adds a package whose code is not to be loaded. */
  addDisabled(plugin: PluginPackage, reason: string): void;
  /** Starts all that can start and has not. */
  start(): Promise<void>;
  /** Stops one plugin and, before it, whoever needs it. */
  stop(id: string): Promise<void>;
  stopAll(): Promise<void>;
  /** Stops a plugin and forgets it. */
  remove(id: string): Promise<void>;
  /** What whoever asks for a path hears if the plugin that owns it is not active. */
  unavailableAt(path: string): Error | undefined;
}

/** Makes a host without plugins. */
export function createPluginHost({
  context,
  guard,
  log,
  configOf,
  redact,
  emit,
}: PluginHostOptions): PluginHost {
  const entries = new Map<string, Entry>();

  async function setState(
    entry: Entry,
    state: PluginState,
    told: string | null = null,
  ): Promise<void> {
    const reason = told && redact(told);
    entry.state = state;
    entry.reason = reason;
    if (state === "starting" || state === "stopping") return;
    log.info(`Plugin ${state}`, { plugin: entry.id, reason });
    const events: NewEvent[] = [PluginChanged.of(entry.id, { state, reason })];
    if (state === "failed") {
      const title = `The plugin "${entry.id}" is not running`;
      events.push(
        NoticeRaised.of(entry.id, {
          title,
          body: reason ?? "",
          severity: "error",
        }),
      );
    }
    // A full disk must not keep a plugin from starting or stopping.
    await emit(...events).catch((error: unknown) =>
      log.error("Event not stored", {}, error),
    );
  }

  const loaded = () =>
    [...entries.values()].flatMap(({ definition }) => definition ?? []);

  /** Adds what is known of a plugin, which is little for one whose code was not loaded. Takes the place of no other. */
  function add(
    wanted: string,
    known: Partial<PluginStatus> & Pick<PluginStatus, "state">,
    plugin?: PluginPackage,
  ): void {
    let id = wanted;
    for (let number = 2; entries.has(id); number++) id = `${wanted}@${number}`;
    entries.set(id, {
      id,
      summary: "",
      version: plugin?.version ?? "0.0.0",
      origin: plugin?.origin ?? "builtin",
      reason: null,
      folder: plugin?.folder,
      package: plugin,
      definition: undefined,
      scope: undefined,
      ...known,
    });
  }

  function addDefinition(
    definition: PluginDefinition,
    plugin?: PluginPackage,
  ): void {
    const { id, summary } = definition;
    try {
      if (entries.has(id)) throw new Error(`another plugin has the id "${id}"`);
      checkDefinition(definition, loaded());
      add(id, { summary, state: "waiting", definition }, plugin);
    } catch (error) {
      const reason = (error as Error).message;
      add(id, { summary, state: "failed", reason }, plugin);
    }
  }

  async function startOne(
    entry: Entry,
    definition: PluginDefinition,
  ): Promise<void> {
    const skip = guard.verdict(entry.id);
    if (skip) return setState(entry, "failed", skip);
    await setState(entry, "starting");
    guard.running(entry.id);
    const scope = createScope(context.logOf(entry.id), () =>
      errors.PLUGIN_STOPPED({ id: entry.id }),
    );
    entry.scope = scope;
    try {
      const config = await readConfig(definition, configOf(entry.id));
      const ctx = createPluginContext(context, definition, config, scope);
      await within(
        START_LIMIT_MS,
        runInContext({ plugin: entry.id }, async () => definition.setup(ctx)),
      );
      const missing = (definition.provides ?? []).find(
        ({ id }) => context.services.providerOf(id) !== entry.id,
      );
      if (missing)
        throw new Error(`it says that it provides ${missing.id} but does not`);
      await setState(entry, "active");
    } catch (error) {
      context.logOf(entry.id).error("Start failed", {}, error);
      await scope.end();
      entry.scope = undefined;
      const known = isGantryError(error) || error instanceof Error;
      await setState(
        entry,
        "failed",
        known ? error.message : "its setup threw something that is no error",
      );
    } finally {
      guard.running(null);
    }
  }

  async function stopOne(entry: Entry): Promise<void> {
    if (!entry.scope) return;
    await setState(entry, "stopping");
    const left = await entry.scope.end();
    if (left > 0)
      log.error("Plugin left something behind", {
        plugin: entry.id,
        count: left,
      });
    entry.scope = undefined;
    await setState(entry, "waiting", "stopped");
  }

  const dependents = (id: string): Entry[] =>
    [...entries.values()].filter(
      ({ scope, definition }) =>
        scope &&
        Object.values(definition?.needs ?? {}).some(
          (token) => context.services.providerOf(token.id) === id,
        ),
    );

  async function stop(id: string): Promise<void> {
    const entry = entries.get(id);
    if (!entry) throw errors.PLUGIN_NOT_FOUND({ id });
    for (const dependent of dependents(id)) await stop(dependent.id);
    await stopOne(entry);
  }

  return {
    services: context.services,
    list: () => [...entries.values()],
    addDefinition,
    addBroken: ({ name, ...known }) => add(name, { ...known, state: "failed" }),
    addDisabled: (plugin, reason) =>
      add(plugin.name, { state: "disabled", reason }, plugin),
    async addPackages(packages) {
      for (const plugin of packages) {
        const skip = guard.verdict(plugin.name);
        if (skip) {
          add(plugin.name, { state: "failed", reason: skip }, plugin);
          continue;
        }
        guard.running(plugin.name);
        try {
          addDefinition(await loadDefinition(plugin), plugin);
        } catch (error) {
          log.error("Plugin not loaded", { plugin: plugin.name }, error);
          const reason = `it could not be loaded: ${(error as Error).message}`;
          add(plugin.name, { state: "failed", reason }, plugin);
        } finally {
          guard.running(null);
        }
      }
    },
    async start() {
      const startable = [...entries.values()].filter(
        (entry) => entry.definition && entry.state !== "failed",
      );
      const { ids, blocked } = orderPlugins(
        startable.flatMap((entry) => entry.definition ?? []),
      );
      for (const [id, { state, reason }] of blocked) {
        const entry = entries.get(id);
        if (entry && !entry.scope) await setState(entry, state, reason);
      }
      for (const id of ids) {
        const entry = entries.get(id);
        if (!entry?.definition || entry.scope) continue;
        // One that it needs may have failed a moment ago.
        const lost = Object.values(entry.definition.needs ?? {}).find(
          ({ id: token }) => !context.services.get(token),
        );
        if (lost)
          await setState(entry, "waiting", `nothing provides ${lost.id} now`);
        else await startOne(entry, entry.definition);
      }
    },
    stop,
    async stopAll() {
      for (const id of [...entries.keys()].reverse()) await stop(id);
    },
    async remove(id) {
      await stop(id);
      entries.delete(id);
      await emit(
        PluginChanged.of(id, { state: "disabled", reason: "removed" }),
      );
    },
    unavailableAt(path) {
      for (const { id, state, definition } of entries.values()) {
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
