import type { WholeHome } from "@gantry/plugin";
import { openAudit } from "@gantry/system/audit/audit";
import { createSystemClock } from "@gantry/system/clock/system-clock";
import { deliveredPlugins } from "../commands/delivered-plugins.ts";
import { parseSettings } from "@gantry/kernel/config/config";
import type { Config } from "@gantry/kernel/config/config";
import { openHome } from "@gantry/system/home/home";
import type { Home } from "@gantry/system/home/home";
import { acquireLock } from "@gantry/system/home/lock";
import { createLogFactory } from "@gantry/system/log/log";
import { createRedactor } from "@gantry/system/log/redact";
import { isPluginId } from "@gantry/system/plugin-id";
import {
  discoverPlugins,
  pluginPlaces,
} from "@gantry/system/plugin-packages/discover";
import { runRehearsal } from "../rehearsal/run-rehearsal.ts";
import { openStore } from "@gantry/store/open-store";
import type { OpenStore } from "@gantry/store/open-store";
import { toStorageError } from "@gantry/store/storage-error";
import { version } from "@gantry/kernel/version";
import { finishReplacement } from "@gantry/restore/finish-replacement";
import { restoreFolder } from "@gantry/restore/replacement-files";
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
  await openHome(home);
  const lock = await acquireLock(home);
  try {
    await using opened = await openStoppedHome(home, plugin, signal);
    return await work(opened.wholeHome, { signal });
  } finally {
    await lock.release();
  }
}

async function openStoppedHome(
  home: Home,
  plugin: string,
  signal: AbortSignal,
): Promise<AsyncDisposable & { wholeHome: WholeHome }> {
  const config = await readLenientConfig(home);
  const { storage } = config;
  const clock = createSystemClock();
  const redact = createRedactor({ environment: process.env, settings: config });
  const log = createLogFactory({
    // What fails is told by what rejects, and by the result of a replacement.
    level: "silent",
    sink: () => {},
    now: () => clock.timestamp(),
    redact,
  })("kernel");
  const audit = await openAudit({ folder: home.audit, clock, log, redact });
  const restore = restoreFolder(home);
  const open = () => openStore({ storage, home, log, signal });
  const finish = () =>
    finishReplacement({
      home,
      restore,
      clock,
      log,
      audit,
      isInHome: storage === "sqlite",
      openStore: async () => (await open()).engine,
      signal,
    });
  let store: OpenStore | { fault: unknown };
  const tryOpen = () => open().catch((fault: unknown) => ({ fault }));
  const close = async () => {
    if ("engine" in store) await store.engine.close();
  };
  try {
    await finish();
    await restore.remove(await restore.listLeftovers());
    store = await tryOpen();
  } catch (error) {
    await audit.close();
    throw error;
  }

  const wholeHome = createWholeHome({
    home,
    restore,
    audit,
    version,
    storage,
    parseConfig: parseSettings,
    engine() {
      if ("engine" in store) return store.engine;
      throw toStorageError(store.fault);
    },
    plugins: await listVersions(home),
    recordVersions: () => ({}),
    rehearse: createRehearse(home, config),
    neededBy: () => new Set(),
    // No plugin runs that would have to stop first, so the replacement is finished when this resolves.
    async carryOut({ prepare }) {
      await prepare();
      await close();
      try {
        await finish();
      } finally {
        store = await tryOpen();
      }
    },
  })({ id: plugin, signal });
  return {
    wholeHome,
    async [Symbol.asyncDispose]() {
      await close();
      await audit.close();
    },
  };
}

const createRehearse =
  (home: Home, config: Config): WholeHome["rehearse"] =>
  (copy, signal) =>
    runRehearsal(
      copy,
      {
        config,
        builtinPlugins: deliveredPlugins(),
        pluginsFolder: home.plugins,
      },
      signal,
    );

/** The plugins that are there, by the ids that their packages say. Their code, which says the true ones, is not run. */
async function listVersions(home: Home): Promise<WholeHome["plugins"]> {
  const { packages } = await discoverPlugins(
    pluginPlaces(home.plugins, deliveredPlugins()),
  );
  const versions = Object.fromEntries(
    packages.map(({ name, packageName, commands, version }) => [
      commands?.name ??
        (isPluginId(name) ? name : packageName.replace(/^@[^/]*\//, "")),
      version,
    ]),
  );
  return () => versions;
}
