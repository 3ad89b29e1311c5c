import type { WholeHome } from "@gantry/plugin";
import { openAudit } from "@gantry/audit/audit";
import { createSystemClock } from "@gantry/system/clock/system-clock";
import { openHome } from "@gantry/system/home/home";
import { acquireLock } from "@gantry/system/home/lock";
import { createLogFactory } from "@gantry/system/log/log";
import { createRedactor } from "@gantry/system/log/redact";
import { deliveredFolders } from "../commands/delivered-folders.ts";
import { readStorage } from "@gantry/kernel/config/config";
import { discoverPlugins } from "@gantry/kernel/plugins/discover";
import { runRehearsal } from "@gantry/kernel/rehearsal/run-rehearsal";
import { version } from "@gantry/kernel/version";
import type { Config } from "@gantry/kernel/config/config";
import type { Home } from "@gantry/system/home/home";
import { openStore } from "@gantry/store/open-store";
import { isPluginId } from "@gantry/store/plugin-id";
import { toStorageError } from "@gantry/store/storage-error";
import type { OpenStore } from "@gantry/store/open-store";
import { finishReplacement } from "@gantry/whole-home/finish-replacement";
import { restoreFolder } from "@gantry/whole-home/replacement-files";
import { createWholeHome } from "@gantry/whole-home/whole-home";
import { readLenientConfig } from "./lenient-config.ts";

/** Work on a home that is held. */
export type StoppedHomeWork<Result> = (
  wholeHome: WholeHome,
  options: { signal: AbortSignal },
) => Promise<Result>;

/**
 * Holds a home, as a daemon does, while some work runs. A pending replacement is finished first.
 *
 * @param plugin Id of the plugin whose work it is.
 * @throws LockedError if a daemon holds it; HomeError
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
    // Failures are reported by rejections and by the result of a replacement.
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
    readStorage,
    engine() {
      if ("engine" in store) return store.engine;
      throw toStorageError(store.fault);
    },
    plugins: await listVersions(home),
    rehearse: createRehearse(home, config),
    // No plugin is running that would have to stop first, so the replacement is complete when this resolves.
    async carryOut() {
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
        builtinPlugins: deliveredFolders().builtinPlugins,
        pluginsFolder: home.plugins,
      },
      signal,
    );

/** The existing plugins, by the ids in their package files. Their code, which defines the actual ids, is not run. */
async function listVersions(home: Home): Promise<WholeHome["plugins"]> {
  const { builtinPlugins } = deliveredFolders();
  const { packages } = await discoverPlugins([
    ...(builtinPlugins === undefined
      ? []
      : [{ folder: builtinPlugins, origin: "builtin" as const }]),
    { folder: home.plugins, origin: "home" },
  ]);
  const versions = Object.fromEntries(
    packages.map(({ name, packageName, commands, version }) => [
      commands?.name ??
        (isPluginId(name) ? name : packageName.replace(/^@[^/]*\//, "")),
      version,
    ]),
  );
  return () => versions;
}
