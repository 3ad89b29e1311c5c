import type { WholeHome } from "@gantry/plugin";
import { createSystemClock } from "@gantry/system/clock/system-clock";
import {
  deliveredPlugins,
  discoverAll,
} from "../commands/delivered-plugins.ts";
import { parseSettings } from "@gantry/kernel/config/config";
import { holdHome } from "@gantry/kernel/held-home";
import type { Home } from "@gantry/system/home/home";
import { isPluginId } from "@gantry/system/plugin-id";
import { runRehearsal } from "../rehearsal/run-rehearsal.ts";
import type { OpenStore } from "@gantry/store/open-store";
import { toStorageError } from "@gantry/store/storage-error";
import { version } from "@gantry/kernel/version";
import { createWholeHome } from "@gantry/restore/whole-home";
import { readLenientConfig } from "./lenient-config.ts";

/** What is done with a home that is held. */
export type StoppedHomeWork<Result> = (
  wholeHome: WholeHome,
  options: { signal: AbortSignal },
) => Promise<Result>;

/**
 * Takes a home, as a daemon does, for the time of a piece of work. A replacement that was begun in it is finished first.
 *
 * @param plugin Id of the plugin whose work it is.
 * @throws LockedError if a daemon has it; HomeError
 */
export async function withStoppedHome<Result>(
  home: Home,
  plugin: string,
  work: StoppedHomeWork<Result>,
  signal: AbortSignal,
): Promise<Result> {
  const config = await readLenientConfig(home);
  const held = await holdHome({
    // What fails is told by what rejects, and by the result of a replacement.
    config: { ...config, log: "silent" },
    clock: createSystemClock(),
    sink: () => {},
    signal,
  });
  const { audit, finishReplacement, openStore, restore } = held;
  let store: OpenStore | { fault: unknown } | undefined;
  const open = async () => {
    store = await openStore().catch((fault: unknown) => ({ fault }));
  };
  const close = async () => {
    if (store && "engine" in store) await store.engine.close();
  };
  try {
    await finishReplacement();
    await restore.remove(await restore.listLeftovers());
    await open();
    const wholeHome = createWholeHome({
      ...{ home, restore, audit, version },
      storage: config.storage,
      parseConfig: parseSettings,
      engine() {
        if (store && "engine" in store) return store.engine;
        throw toStorageError(store?.fault);
      },
      plugins: await listVersions(home),
      recordVersions: () => ({}),
      rehearse: (copy, until) =>
        runRehearsal(
          copy,
          {
            config,
            builtinPlugins: deliveredPlugins(),
            pluginsFolder: home.plugins,
          },
          until,
        ),
      neededBy: () => new Set(),
      // No plugin runs that would have to stop first, so the replacement is finished when this resolves.
      async carryOut({ prepare }) {
        await prepare();
        await close();
        await finishReplacement().finally(open);
      },
    })({ id: plugin, signal });
    return await work(wholeHome, { signal });
  } finally {
    await close();
    await held.release();
  }
}

/** The plugins that are there, by the ids that their packages say. Their code, which says the true ones, is not run. */
async function listVersions(home: Home): Promise<WholeHome["plugins"]> {
  const { packages } = await discoverAll(home);
  const versions = Object.fromEntries(
    packages.map(({ name, packageName, commands, version }) => [
      commands?.name ??
        (isPluginId(name) ? name : packageName.replace(/^@[^/]*\//, "")),
      version,
    ]),
  );
  return () => versions;
}
