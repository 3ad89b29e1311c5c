import { HomeReplaced } from "@gantry/plugin";
import type { WholeHome } from "@gantry/plugin";
import { readStorage } from "../config/config.ts";
import type { Config } from "../config/config.ts";
import type { Foundation } from "../foundation.ts";
import type { PluginHost } from "../plugins/plugin-host.ts";
import { unlessAborted } from "@gantry/system/clock/unless-aborted";
import { carryOut } from "@gantry/whole-home/carry-out";
import { createWholeHome } from "@gantry/whole-home/whole-home";
import type { PendingReplacement } from "@gantry/whole-home/replacement-files";
import type { WholeHomeOwner } from "@gantry/whole-home/whole-home";

/** Dependencies of {@link openRunningHome}. */
export interface RunningHomeHost {
  foundation: Foundation;
  config: Config;
  version: string;
  plugins(): PluginHost;
  rehearse: WholeHome["rehearse"];
  /** Called before a restart that replaces the home. */
  beforeRestart(): void;
  /** Aborts when the daemon is to stop. */
  signal: AbortSignal;
}

/** The home of a running daemon. */
export interface RunningHome {
  wholeHome(owner: WholeHomeOwner): WholeHome;
  /** Resolves when the daemon is to be restarted to replace the home. */
  readonly restartRequested: Promise<void>;
  /** Resolves when no merge is in progress. */
  settled(): Promise<void>;
}

/** Opens the home of a running daemon for plugins. */
export function openRunningHome(host: RunningHomeHost): RunningHome {
  const { foundation, config, signal } = host;
  const { home, restore, core, audit, clock, logOf, emit } = foundation;
  const log = logOf("kernel");
  let merging: Promise<void> = Promise.resolve();
  let requestRestart = () => {};
  const restartRequested = new Promise<void>((resolve) => {
    requestRestart = resolve;
  });

  async function merge(
    pending: PendingReplacement,
    concerned: readonly string[],
  ): Promise<void> {
    const { mode } = pending;
    let failure: string | null = null;
    try {
      await host.plugins().pause(concerned, async () => {
        const store = { kind: "engine", engine: core.engine } as const;
        const steps = { home, restore, clock, log, audit };
        ({ failure } = await carryOut(steps, pending, store, signal));
      });
      await emit(HomeReplaced.of("home", { mode, failure }));
      await restore.removeStage(pending.stage);
    } catch (error) {
      // An unfinished merge continues at the next start; until then the affected plugins do not run.
      if (!signal.aborted) log.error("Records not merged", {}, error);
    }
  }

  const wholeHome = createWholeHome({
    home,
    restore,
    audit,
    version: host.version,
    storage: config.storage,
    readStorage,
    rehearse: host.rehearse,
    engine: () => core.engine,
    plugins: () =>
      Object.fromEntries(
        host
          .plugins()
          .list()
          .filter(({ definition }) => definition !== undefined)
          .map(({ id, version }) => [id, version]),
      ),
    async carryOut(pending, concerned, owner) {
      if (pending.mode === "merge") {
        merging = merge(pending, concerned);
        // A caller that needs a plugin whose records are merged is stopped with it, and would wait for itself.
        await unlessAborted(owner.signal, merging).catch(() => {});
      } else {
        host.beforeRestart();
        requestRestart();
      }
    },
  });
  return { wholeHome, restartRequested, settled: () => merging };
}
