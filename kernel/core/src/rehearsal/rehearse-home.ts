import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { RehearsalOutcome } from "@gantry/plugin";
import { createStillClock } from "@gantry/system/clock/system-clock";
import { homePaths } from "@gantry/system/home/home";
import { createDeadline } from "@gantry/system/shutdown/deadline";
import { createClosedPorts } from "@gantry/http/open-ports";
import { checkStage } from "@gantry/restore/check-stage";
import { prepareWhole } from "@gantry/restore/prepare-replacement";
import { rewriteStore } from "@gantry/restore/rewrite-store";
import { openEngine } from "@gantry/store/engine";
import { createSqliteDriver } from "@gantry/store/sqlite-driver";
import { parseSettings } from "../config/config.ts";
import type { KernelOptions } from "../kernel-options.ts";
import { startKernel } from "../kernel.ts";
import { refuseCopy } from "./rehearsal.ts";
import type { RehearsalOrder } from "./rehearsal.ts";

/** Time that plugins get to stop again. */
const STOP_MS = 5_000;

/** A copy that is not used again need not survive a power failure. */
const doNotFlush = () => Promise.resolve();

/**
 * Starts a daemon on a copy of a home, in this process, stops it again, and gives how each plugin did. Its clock stands
 * still; it has no ports, runs no programs and sends no requests, so that nothing that is due in the copy happens.
 *
 * @param home Folder of the copy, which nothing else uses: a home, or a stage that could take the place of one.
 * @throws what keeps a daemon from starting; the signal's reason
 */
export async function rehearseHome(
  home: string,
  { config, builtinPlugins, pluginsFolder }: RehearsalOrder,
  signal: AbortSignal,
  options: Pick<KernelOptions, "version" | "definitions" | "beforePlugins">,
): Promise<RehearsalOutcome> {
  signal.throwIfAborted();
  await prepareCopy(home, signal);
  const kernel = await startKernel({
    ...options,
    config: {
      ...config,
      home,
      // Wherever the store of the daemon is, that of a copy lies in it.
      storage: "sqlite",
      https: false,
      open: false,
      log: "silent",
    },
    clock: createStillClock(Date.now()),
    sink: () => {},
    builtinPlugins,
    ports: createClosedPorts(),
    sync: doNotFlush,
    rehearsal: { pluginsFolder },
    rehearse: refuseCopy,
    signal,
  });
  try {
    return {
      plugins: kernel.plugins
        .list()
        .map(({ id, state, reason }) => ({ id, state, reason })),
      recordVersions: kernel.foundation.quarantine.versions(),
    };
  } finally {
    await kernel.stop(createDeadline(STOP_MS));
  }
}

/**
 * Makes a home of a stage, which holds a store as lines; what is a home already is left as it is.
 *
 * @throws TypeError for a stage that could not take the place of a home
 */
async function prepareCopy(folder: string, signal: AbortSignal): Promise<void> {
  const store = await lstat(join(folder, "store")).catch(() => undefined);
  if (!store?.isDirectory()) return;
  const home = homePaths(folder);
  const host = { home, storage: "sqlite" as const, parseConfig: parseSettings };
  const content = await checkStage(folder, signal, folder);
  const { namespaces } = await prepareWhole(host, folder, content, signal);
  const engine = openEngine(createSqliteDriver(home.database, doNotFlush));
  try {
    await rewriteStore(
      engine,
      { stage: folder, mode: "replace", keepsSessions: false, namespaces },
      { signal },
    );
  } finally {
    await engine.close();
  }
}
