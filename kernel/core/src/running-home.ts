import { once } from "node:events";
import { HomeReplaced } from "@gantry/plugin";
import { parseSettings } from "./config/config.ts";
import type { RunningParts } from "./start-plugins.ts";
import { within } from "@gantry/system/shutdown/deadline";
import { carryOut } from "@gantry/restore/carry-out";
import type { PendingReplacement } from "@gantry/restore/replacement-files";
import { createWholeHome } from "@gantry/restore/whole-home";
import type { ReplacementOrder } from "@gantry/restore/whole-home";

const KERNEL = "kernel";

/** Gives plugins the home of a daemon that runs. */
export function openRunningHome(running: RunningParts) {
  const { options, foundation, shutdown, ports } = running;
  const { signal } = shutdown;
  const { config, home, restore, core, audit, clock, logOf, emit } = foundation;
  const { builtinPlugins, version } = options;
  const log = logOf("kernel");
  let replaced: Promise<void> = Promise.resolve();
  const restart = Promise.withResolvers<void>();

  /** @returns whether the plugins whose records were merged can start again */
  async function merge(pending: PendingReplacement): Promise<boolean> {
    try {
      const { mode, failure } = await carryOut(
        { home, restore, clock, log, audit },
        pending,
        (rewrite) => rewrite(core.engine),
        signal,
      );
      await emit(HomeReplaced.of("home", { mode, failure }));
      await restore.removeStage(pending.stage);
      return true;
    } catch (error) {
      // The next start continues the merge; the plugins whose records it writes do not run until then.
      if (!signal.aborted) log.error("Records not merged", {}, error);
      return false;
    }
  }

  /** Plugins that write what is replaced. The plugin that asked keeps running, with those that it needs. */
  function toWriters({ mode, concerned, owner }: ReplacementOrder) {
    const plugins = running.plugins;
    const goOn = plugins.neededBy(owner.id).add(owner.id);
    return mode === "merge"
      ? concerned
      : plugins.list().flatMap(({ id }) => (goOn.has(id) ? [] : id));
  }

  async function replace(order: ReplacementOrder): Promise<void> {
    let refused: { error: unknown } | undefined;
    const replacing = running.plugins.pause(toWriters(order), async () => {
      const openStore = await closeStore(order);
      const pending = await within(order.prepare(), { signal }).catch(
        (error: unknown) => void (refused = { error }),
      );
      if (!pending) {
        openStore();
        return true;
      }
      if (order.mode === "replace") return await waitForRestart();
      const isOver = await merge(pending);
      if (isOver) openStore();
      return isOver;
    });
    await Promise.race([replacing, restart.promise]);
    if (refused) throw refused.error;
  }

  /**
   * Closes the store to the plugins that are replaced, since the kernel also writes on behalf of stopped ones. Its own
   * namespace stays open in `replace`, to record how they stop.
   */
  function closeStore({ mode, concerned, owner }: ReplacementOrder) {
    return core.gate.close((plugin) =>
      mode === "merge"
        ? concerned.includes(plugin)
        : plugin !== owner.id && plugin !== KERNEL,
    );
  }

  /** Requests the restart, and keeps the plugins stopped until then: the restart would lose what they write. */
  async function waitForRestart(): Promise<false> {
    // A request that comes after that finds the new state.
    ports.hold();
    restart.resolve();
    if (!signal.aborted) await once(signal, "abort");
    return false;
  }

  const wholeHome = createWholeHome({
    home,
    restore,
    audit,
    version,
    storage: config.storage,
    parseConfig: parseSettings,
    rehearse: (copy, until) =>
      options.rehearse(
        copy,
        { config, builtinPlugins, pluginsFolder: home.plugins },
        AbortSignal.any([until, signal]),
      ),
    recordVersions: () => foundation.quarantine.versions(),
    engine: () => core.engine,
    plugins: () =>
      Object.fromEntries(
        running.plugins
          .list()
          .filter(({ definition }) => definition !== undefined)
          .map(({ id, version }) => [id, version]),
      ),
    neededBy: (plugin) => running.plugins.neededBy(plugin),
    async carryOut(order) {
      const replacing = replace(order);
      replaced = replacing.catch(() => {});
      await replacing;
    },
  });
  return {
    wholeHome,
    /** Resolves when the whole home is to be replaced, which takes a restart. */
    restartRequested: restart.promise,
    /** Resolves when nothing is being replaced. */
    settled: () => replaced,
  };
}
