import { HomeReplaced } from "@gantry/plugin";
import type { WholeHome } from "@gantry/plugin";
import type { Config } from "../config/config.ts";
import type { Foundation } from "../foundation.ts";
import type { PluginHost } from "../plugins/plugin-host.ts";
import { unlessAborted } from "../shutdown/unless-aborted.ts";
import { carryOut } from "./carry-out.ts";
import type { PendingReplacement } from "./replacement-files.ts";
import { createWholeHome } from "./whole-home.ts";
import type { WholeHomeOwner } from "./whole-home.ts";

/** Dependencies of {@link openRunningHome}. */
export interface RunningHomeHost {
  foundation: Foundation;
  config: Config;
  version: string;
  plugins(): PluginHost;
  rehearse: WholeHome["rehearse"];
  /** Called when all is to be replaced, which the next start does. */
  beforeRestart(): void;
  /** Aborts when the daemon is to stop. */
  signal: AbortSignal;
}

/** The home of a daemon that runs. */
export interface RunningHome {
  wholeHome(owner: WholeHomeOwner): WholeHome;
  /** Resolves when all is to be replaced. */
  readonly restartRequested: Promise<void>;
  /** Resolves when no records are being merged. */
  settled(): Promise<void>;
}

/** Gives plugins the home of a daemon that runs. */
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
      // What is not over goes on at the next start, and until then the plugins that it is about do not run.
      if (!signal.aborted) log.error("Records not merged", {}, error);
    }
  }

  const wholeHome = createWholeHome({
    home,
    restore,
    audit,
    version: host.version,
    storage: config.storage,
    rehearse: host.rehearse,
    recordVersions: () => foundation.quarantine.versions(),
    engine: () => core.engine,
    closeStoreFor: (plugin) => core.gate.closeFor(plugin),
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
        // One that needs a plugin whose records are merged is stopped with it, and would wait for itself.
        await unlessAborted(owner.signal, merging).catch(() => {});
      } else {
        host.beforeRestart();
        requestRestart();
      }
    },
  });
  return { wholeHome, restartRequested, settled: () => merging };
}
