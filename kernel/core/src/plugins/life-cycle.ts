import { isGantryError, NoticeRaised } from "@gantry/plugin";
import type { NewEvent, PluginDefinition } from "@gantry/plugin";
import { runInContext } from "@gantry/system/context/work-context";
import { createDeadline, within } from "@gantry/system/shutdown/deadline";
import type { Deadline } from "@gantry/system/shutdown/deadline";
import { createPluginContext } from "./context.ts";
import type { ContextHost } from "./context.ts";
import type { CrashGuard } from "./crash-guard.ts";
import { readConfig, START_LIMIT_MS } from "./definition.ts";
import { orderPlugins } from "./order.ts";
import type { NotRunning } from "./order.ts";
import type { PluginRegister } from "./plugin-register.ts";
import { PluginChanged } from "./plugin-status.ts";
import type { PluginEntry, PluginState } from "./plugin-status.ts";
import { createScope } from "./scope.ts";

/** Time that a plugin gets to give up a start that the stop of the daemon interrupts. */
const INTERRUPTED_MS = 1_000;

/** Dependencies of {@link createLifeCycle}. */
export interface LifeCycleHost {
  context: ContextHost;
  guard: CrashGuard;
  /** Aborts when the daemon is to stop: no plugin is started after that. */
  signal: AbortSignal;
  /** Settings of plugins, by id. */
  settings: Readonly<Record<string, unknown>>;
  /** Takes secrets out of what a plugin says of its failure, which is stored and shown. */
  redact(text: string): string;
  /** Writes kernel events. */
  emit(...events: NewEvent[]): Promise<void>;
}

/** Makes what starts and stops the plugins of a register, one call after the other. */
export function createLifeCycle(host: LifeCycleHost, register: PluginRegister) {
  const { context, guard, signal } = host;
  const log = context.logOf("kernel");
  const settingsOf = (id: string) =>
    Object.hasOwn(host.settings, id) ? host.settings[id] : undefined;
  const { services } = context;

  /** The events of states that are not stored yet: what starts or stops next does not wait for the disk. */
  let written: Promise<unknown> = Promise.resolve();

  function setState(
    entry: PluginEntry,
    state: PluginState,
    why: string | null = null,
  ): void {
    const reason = why && host.redact(why);
    entry.state = state;
    entry.reason = reason;
    if (state === "starting" || state === "stopping") return;
    log.info(`Plugin ${state}`, { plugin: entry.id, reason });
    const events: NewEvent[] = [PluginChanged.of(entry.id, { state, reason })];
    if (state === "failed") {
      const title = `The plugin "${entry.id}" is not running`;
      const body = reason ?? "";
      events.push(
        NoticeRaised.of(entry.id, { title, body, severity: "error" }),
      );
    }
    // A full disk must not keep a plugin from starting or stopping.
    const stored = host
      .emit(...events)
      .catch((error: unknown) => log.error("Event not stored", {}, error));
    written = Promise.all([written, stored]);
  }

  /** Runs the plugin's setup. What it registered is taken back if that fails. */
  async function setUp(
    entry: PluginEntry,
    definition: PluginDefinition,
  ): Promise<void> {
    const scope = createScope(entry.id, context.logOf(entry.id));
    entry.scope = scope;
    try {
      const setup = runInContext({ plugin: entry.id }, async () => {
        const config = await readConfig(definition, settingsOf(entry.id));
        const ctx = createPluginContext(context, definition, config, scope);
        return definition.setup(ctx);
      });
      await within(setup, {
        ms: START_LIMIT_MS,
        signal,
        isExcused: () => scope.hasUpkeep,
      });
      const missing = (definition.provides ?? []).find(
        ({ id }) => services.providerOf(id) !== entry.id,
      );
      if (missing)
        throw new Error(`it says that it provides ${missing.id} but does not`);
    } catch (error) {
      await scope.end(
        signal.aborted ? createDeadline(INTERRUPTED_MS) : undefined,
      );
      entry.scope = undefined;
      throw error;
    }
  }

  /**
   * Those that have started in this process. A daemon that is killed while one of them starts again, as after a merge, was not ended
   * by its code.
   */
  const started = new WeakSet<PluginEntry>();

  async function startOne(
    entry: PluginEntry,
    definition: PluginDefinition,
  ): Promise<void> {
    const skip = guard.verdict(entry.id);
    if (skip) return setState(entry, "failed", skip);
    setState(entry, "starting");
    guard.running(started.has(entry) ? null : entry.id);
    try {
      await setUp(entry, definition);
      started.add(entry);
      setState(entry, "active");
    } catch (error) {
      if (signal.aborted) return setState(entry, "waiting", "the daemon stops");
      context.logOf(entry.id).error("Start failed", {}, error);
      const known = isGantryError(error) || error instanceof Error;
      const reason = known
        ? error.message
        : "its setup threw something that is no error";
      setState(entry, "failed", reason);
    }
  }

  async function stopOne(
    entry: PluginEntry,
    { state, reason }: NotRunning,
    deadline: Deadline | undefined,
  ): Promise<void> {
    if (!entry.scope) return;
    setState(entry, "stopping");
    const left = await entry.scope.end(deadline);
    if (left > 0)
      log.error("Plugin left something behind", {
        plugin: entry.id,
        count: left,
      });
    entry.scope = undefined;
    setState(entry, state, reason);
  }

  const providersOf = ({ definition }: PluginEntry): PluginEntry[] =>
    Object.values(definition?.needs ?? {}).flatMap(
      ({ id }) => register.get(services.providerOf(id) ?? "") ?? [],
    );
  const neededBy = (entry: PluginEntry): PluginEntry[] =>
    providersOf(entry).flatMap((other) => [other, ...neededBy(other)]);
  const dependentsOf = (entry: PluginEntry): PluginEntry[] =>
    register
      .list()
      .filter(
        (other) =>
          other.scope !== undefined && providersOf(other).includes(entry),
      );
  /** Plugins that stop one after the other from this one on, at most. */
  const levelsFrom = (entry: PluginEntry): number =>
    1 + Math.max(0, ...providersOf(entry).map(levelsFrom));

  async function startAll(): Promise<void> {
    const { ids, blocked } = orderPlugins(
      register
        .list()
        .filter(({ state }) => state !== "failed")
        .flatMap(({ definition }) => definition ?? []),
    );
    for (const [id, { state, reason }] of blocked) {
      const entry = register.get(id);
      if (entry && !entry.scope) setState(entry, state, reason);
    }
    for (const id of ids) {
      signal.throwIfAborted();
      const entry = register.get(id);
      if (!entry?.definition || entry.scope) continue;
      // One that it needs may have failed a moment ago.
      const lost = Object.values(entry.definition.needs ?? {}).find(
        ({ id: token }) => !services.get(token),
      );
      if (lost) setState(entry, "waiting", `nothing provides ${lost.id} now`);
      else await startOne(entry, entry.definition);
    }
    signal.throwIfAborted();
  }

  return {
    /** Starts all that can start and do not run yet. Rejects with the signal's reason if the daemon is to stop meanwhile. */
    start: (): Promise<void> =>
      startAll().finally(() => {
        guard.running(null);
        return written;
      }),
    /** Stops plugins and, before each, the plugins that need it. Those that do not need each other stop side by side. */
    async stop(
      entries: readonly PluginEntry[],
      outcome: NotRunning = { state: "waiting", reason: "stopped" },
      deadline?: Deadline,
    ): Promise<void> {
      const stopping = new Map<PluginEntry, Promise<void>>();
      const stop = (entry: PluginEntry): Promise<void> => {
        let done = stopping.get(entry);
        if (!done) {
          // What one of them does not use of its share is there for those that it needs.
          const parts = levelsFrom(entry);
          done = Promise.all(dependentsOf(entry).map(stop)).then(() =>
            stopOne(
              entry,
              entries.includes(entry)
                ? outcome
                : { state: "waiting", reason: "stopped" },
              deadline?.atMost(deadline.left() / parts),
            ),
          );
          stopping.set(entry, done);
        }
        return done;
      };
      await Promise.all(entries.map(stop));
      await written;
    },
    /** The plugins that one needs, and those that they need. */
    neededBy,
  };
}
