import { once } from "node:events";
import { HomeReplaced } from "@gantry/plugin";
import type { WholeHome } from "@gantry/plugin";
import { parseSettings } from "./config/config.ts";
import type { Config } from "./config/config.ts";
import type { Foundation } from "./foundation.ts";
import type { PluginHost } from "./plugins/plugin-host.ts";
import { within } from "@gantry/system/shutdown/deadline";
import { carryOut } from "@gantry/restore/carry-out";
import type { PendingReplacement } from "@gantry/restore/replacement-files";
import { createWholeHome } from "@gantry/restore/whole-home";
import type {
  ReplacementOrder,
  WholeHomeOwner,
} from "@gantry/restore/whole-home";

const KERNEL = "kernel";

/** Dependencies of {@link openRunningHome}. */
export interface RunningHomeHost {
  foundation: Foundation;
  config: Config;
  version: string;
  plugins(): PluginHost;
  rehearse: WholeHome["rehearse"];
  /** Called before a restart that replaces the whole home. */
  beforeRestart(): void;
  /** Aborts when the daemon is to stop. */
  signal: AbortSignal;
}

/** The home of a daemon that runs. */
export interface RunningHome {
  wholeHome(owner: WholeHomeOwner): WholeHome;
  /** Resolves when the whole home is to be replaced, which takes a restart. */
  readonly restartRequested: Promise<void>;
  /** Resolves when nothing is being replaced. */
  settled(): Promise<void>;
}

/** Gives plugins the home of a daemon that runs. */
export function openRunningHome(host: RunningHomeHost): RunningHome {
  const { foundation, config, signal } = host;
  const { home, restore, core, audit, clock, logOf, emit } = foundation;
  const log = logOf("kernel");
  let replaced: Promise<void> = Promise.resolve();
  let requestRestart = () => {};
  const restartRequested = new Promise<void>((resolve) => {
    requestRestart = resolve;
  });

  /** @returns whether the plugins whose records were merged can start again */
  async function merge(pending: PendingReplacement): Promise<boolean> {
    const store = { kind: "engine", engine: core.engine } as const;
    const steps = { home, restore, clock, log, audit };
    try {
      const { mode, failure } = await carryOut(steps, pending, store, signal);
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
    const plugins = host.plugins();
    const goOn = plugins.neededBy(owner.id).add(owner.id);
    return mode === "merge"
      ? concerned
      : plugins.list().flatMap(({ id }) => (goOn.has(id) ? [] : id));
  }

  async function replace(order: ReplacementOrder): Promise<void> {
    let refused: { error: unknown } | undefined;
    const replacing = host.plugins().pause(toWriters(order), async () => {
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
    await Promise.race([replacing, restartRequested]);
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
    host.beforeRestart();
    requestRestart();
    if (!signal.aborted) await once(signal, "abort");
    return false;
  }

  const wholeHome = createWholeHome({
    home,
    restore,
    audit,
    version: host.version,
    storage: config.storage,
    parseConfig: parseSettings,
    rehearse: host.rehearse,
    recordVersions: () => foundation.quarantine.versions(),
    engine: () => core.engine,
    plugins: () =>
      Object.fromEntries(
        host
          .plugins()
          .list()
          .filter(({ definition }) => definition !== undefined)
          .map(({ id, version }) => [id, version]),
      ),
    neededBy: (plugin) => host.plugins().neededBy(plugin),
    async carryOut(order) {
      const replacing = replace(order);
      replaced = replacing.catch(() => {});
      await replacing;
    },
  });
  return { wholeHome, restartRequested, settled: () => replaced };
}
