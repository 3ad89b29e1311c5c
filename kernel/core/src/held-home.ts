import { openAudit } from "@gantry/system/audit/audit";
import { homePaths, openHome } from "@gantry/system/home/home";
import { acquireLock } from "@gantry/system/home/lock";
import { createLogFactory } from "@gantry/system/log/log";
import { createLogRing } from "@gantry/system/log/log-ring";
import { createRedactor } from "@gantry/system/log/redact";
import { openStore } from "@gantry/store/open-store";
import { finishReplacement } from "@gantry/restore/finish-replacement";
import { restoreFolder } from "@gantry/restore/replacement-files";
import type { KernelOptions } from "./kernel-options.ts";

/** A home that this process holds, with its log and its audit log. */
export type HeldHome = Awaited<ReturnType<typeof holdHome>>;

/** Takes a home for this process. @throws LockedError if another process has it; HomeError */
export async function holdHome(
  options: Pick<
    KernelOptions,
    "config" | "clock" | "sink" | "sync" | "leaseTimes" | "signal"
  >,
) {
  const { config, clock, sink, signal, ...storeOptions } = options;
  const { storage } = config;
  const home = homePaths(config.home);
  // Takes secrets out of what is logged.
  const redact = createRedactor({ environment: process.env, settings: config });
  const logRing = createLogRing();
  const now = () => clock.timestamp();
  const format = { level: config.log, sink, ring: logRing, redact, now };
  const logOf = createLogFactory(format);
  const log = logOf("kernel");
  for (const mended of await openHome(home)) log.warn(mended);
  const lock = await acquireLock(home);
  const audit = await openAudit({ folder: home.audit, clock, log, redact });
  const restore = restoreFolder(home);
  const openOwnStore = () =>
    openStore({ ...storeOptions, storage, home, log, signal });
  return {
    ...{ config, home, lock, clock, redact, logRing, logOf, audit, restore },
    openStore: openOwnStore,
    /** Brings a pending replacement of the home to its end. */
    finishReplacement: () =>
      finishReplacement({
        ...{ home, restore, clock, log, audit, signal },
        isInHome: storage === "sqlite",
        openStore: async () => (await openOwnStore()).engine,
      }),
    async release() {
      await audit.close();
      await lock.release();
    },
  };
}
