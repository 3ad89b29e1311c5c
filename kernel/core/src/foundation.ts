import { HomeReplaced } from "@gantry/plugin";
import type { Log, NewEvent } from "@gantry/plugin";
import { createEventBus } from "@gantry/store/events/event-bus";
import { createEventLog } from "@gantry/store/events/event-log";
import { HomeError } from "@gantry/system/home/home";
import { removeDrafts } from "@gantry/system/home/remove-drafts";
import { createIdempotency } from "@gantry/http/idempotency";
import { createMarkers } from "@gantry/system/processes/markers";
import type { OpenStore } from "@gantry/store/open-store";
import { openQuarantine } from "@gantry/store/quarantine";
import { isDamaged } from "@gantry/store/storage-error";
import { createStoreCore } from "@gantry/store/store-core";
import { holdHome } from "./held-home.ts";
import type { HeldHome } from "./held-home.ts";
import type { KernelOptions } from "./kernel-options.ts";

/** The home, its store and its events, which all other parts depend on. */
export type Foundation = Awaited<ReturnType<typeof openHomeAndStore>>;

/**
 * Opens the home and its store. If a replacement brought another configuration, they are opened again with that.
 *
 * @throws as {@link openHomeAndStore}; ports that were given are then closed
 */
export async function openFoundation(
  options: KernelOptions,
): Promise<Foundation> {
  const { config, reloadConfig, ports } = options;
  try {
    const foundation = await openHomeAndStore(options);
    const { replacement, logOf } = foundation;
    if (!replacement?.bringsConfig || !reloadConfig) return foundation;
    const reloaded = await reloadConfig().catch((error: unknown) => {
      // Each setting of it was checked, so only flags can be at odds with it. The next start of the process tells that.
      logOf("kernel").error("Settings not taken over", {}, error);
      return config;
    });
    await foundation.close();
    const again = await openHomeAndStore({ ...options, config: reloaded });
    // What it was when the home was replaced is told, although there is nothing to replace any more.
    return { ...again, replacement };
  } catch (error) {
    await ports?.close();
    throw error;
  }
}

/** Takes the home, ends what a crashed daemon left, and opens the store. */
async function openHomeAndStore(options: KernelOptions) {
  const { openStore, finishReplacement, release, ...held } =
    await holdHome(options);
  const { home, lock, clock, audit, restore, logOf } = held;
  const log = logOf("kernel");
  let store: OpenStore | undefined;
  try {
    if (lock.leftBy)
      await audit.record("lock.taken-over", { pid: lock.leftBy.pid });
    const markers = createMarkers(home.processes);
    // Those of a copy are children of the daemon that runs.
    const ended = options.rehearsal ? 0 : await markers.endLeftovers();
    if (ended > 0)
      log.warn("Ended processes that a crashed daemon left behind", {
        count: ended,
      });
    const replacement = await finishReplacement();
    // Those of a copy belong to the daemon that runs.
    if (!options.rehearsal) await removeDrafts(home, log);
    const leftovers = await restore.listLeftovers();
    store = await openStore();
    const { engine, lost } = store;
    const core = await createStoreCore(engine, clock);
    const quarantine = await openQuarantine({ core, clock, log });
    const eventLog = createEventLog(core, clock);
    if (replacement) {
      const { mode, failure } = replacement;
      // A full disk must not keep the daemon from starting.
      await core
        .commit("kernel", [], [HomeReplaced.of("home", { mode, failure })])
        .catch((error: unknown) => log.error("Event not stored", {}, error));
    }
    const stopRemoving = removeStages(held, leftovers, log);
    return {
      ...held,
      ...{ core, quarantine, eventLog, markers },
      /** A replacement of the home that was pending, and is over. */
      replacement,
      bus: createEventBus({ core, log: eventLog, clock, logOf }),
      idempotency: createIdempotency(engine, clock),
      /** Resolves when another daemon has taken the store over: nothing can be written any more. */
      storeLost: lost ?? new Promise<never>(() => {}),
      /** Writes the kernel's own events. */
      emit: (...events: NewEvent[]) => core.commit("kernel", [], events),
      async close() {
        stopRemoving();
        await engine.close();
        await release();
      },
    };
  } catch (error) {
    // A lease that is not released would be renewed as long as this process exists.
    await store?.engine.close().catch(() => {});
    await release();
    if (isDamaged(error))
      throw new HomeError(
        `The store ${home.database} is damaged and was left as it is. Put a copy of it in its place, or move it away to start with an empty one.`,
        { cause: error },
      );
    throw error;
  }
}

/**
 * Removes stages beside the start, since large folders take their time and nothing depends on it. What a stop leaves of them
 * is removed at the next start.
 *
 * @returns stops removing
 */
function removeStages(
  { restore }: Pick<HeldHome, "restore">,
  stages: readonly string[],
  log: Log,
): () => void {
  const closing = new AbortController();
  void restore
    .remove(stages, closing.signal)
    .catch((error: unknown) =>
      log.warn("Stages not removed", { reason: String(error) }),
    );
  return () => closing.abort();
}
