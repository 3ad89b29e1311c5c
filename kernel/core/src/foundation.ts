import { HomeReplaced } from "@gantry/plugin";
import type { Clock, Log, NewEvent } from "@gantry/plugin";
import { openAudit } from "@gantry/system/audit/audit";
import type { Audit } from "@gantry/system/audit/audit";
import type { Config } from "./config/config.ts";
import { createEventBus } from "@gantry/store/events/event-bus";
import type { EventBus } from "@gantry/store/events/event-bus";
import { createEventLog } from "@gantry/store/events/event-log";
import type { EventLog } from "@gantry/store/events/event-log";
import { HomeError, homePaths, openHome } from "@gantry/system/home/home";
import type { Home } from "@gantry/system/home/home";
import { acquireLock } from "@gantry/system/home/lock";
import type { InstanceLock } from "@gantry/system/home/lock";
import { removeDrafts } from "@gantry/system/home/remove-drafts";
import { createIdempotency } from "@gantry/http/idempotency";
import type { Idempotency } from "@gantry/http/idempotency";
import { createLogFactory } from "@gantry/system/log/log";
import type { LogSink } from "@gantry/system/log/log";
import { createLogRing } from "@gantry/system/log/log-ring";
import type { LogRing } from "@gantry/system/log/log-ring";
import { createRedactor } from "@gantry/system/log/redact";
import type { Redactor } from "@gantry/system/log/redact";
import { createMarkers } from "@gantry/system/processes/markers";
import type { Markers } from "@gantry/system/processes/markers";
import type { Rehearsal } from "./rehearsal/rehearsal.ts";
import type { SyncFile } from "@gantry/store/log-flusher";
import { openStore } from "@gantry/store/open-store";
import type { LeaseTimes, OpenStore } from "@gantry/store/open-store";
import { openQuarantine } from "@gantry/store/quarantine";
import type { Quarantine } from "@gantry/store/quarantine";
import { isDamaged } from "@gantry/store/storage-error";
import { finishReplacement } from "@gantry/restore/finish-replacement";
import type { FinishedReplacement } from "@gantry/restore/finish-replacement";
import { restoreFolder } from "@gantry/restore/replacement-files";
import type { RestoreFolder } from "@gantry/restore/replacement-files";
import { createStoreCore } from "@gantry/store/store-core";
import type { StoreCore } from "@gantry/store/store-core";
import type { UserError } from "@gantry/system/user-error";

/** The home, its store and its events, which all other parts depend on. */
export interface Foundation {
  readonly home: Home;
  readonly lock: InstanceLock;
  readonly clock: Clock;
  /** Takes secrets out of what is logged. */
  readonly redact: Redactor;
  readonly audit: Audit;
  readonly core: StoreCore;
  readonly quarantine: Quarantine;
  readonly eventLog: EventLog;
  readonly bus: EventBus;
  readonly idempotency: Idempotency;
  readonly markers: Markers;
  /** The newest lines of the log. */
  readonly logRing: LogRing;
  readonly restore: RestoreFolder;
  /** A replacement of the home that was pending, and is over. */
  readonly replacement: FinishedReplacement | undefined;
  /** Resolves when another daemon has taken the store over: nothing can be written any more. */
  readonly storeLost: Promise<UserError>;
  logOf(owner: string): Log;
  /** Writes the kernel's own events. */
  emit(...events: NewEvent[]): Promise<void>;
  close(): Promise<void>;
}

/** How the store is opened. */
export interface FoundationOptions {
  /** How its files are flushed. */
  sync?: SyncFile;
  /** Times of the lease on a store outside of the home. */
  leaseTimes?: Partial<LeaseTimes>;
  /** Gives up waiting for the store of another daemon. */
  signal?: AbortSignal;
  /** Set if the home is a copy. */
  rehearsal?: Rehearsal;
}

/** Takes the home, ends what a crashed daemon left, and opens the store. */
export async function openHomeAndStore(
  config: Config,
  clock: Clock,
  sink: LogSink,
  options: FoundationOptions = {},
): Promise<Foundation> {
  const home = homePaths(config.home);
  const logging = createLogging(config, clock, sink);
  const { redact, logOf } = logging;
  const log = logOf("kernel");
  for (const mended of await openHome(home)) log.warn(mended);
  const lock = await acquireLock(home);
  const audit = await openAudit({ folder: home.audit, clock, log, redact });
  let store: OpenStore | undefined;
  const openOwnStore = async () => {
    const { storage } = config;
    store = await openStore({ storage, home, log, ...options });
    return store.engine;
  };
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
    const restore = restoreFolder(home);
    const replacement = await finishReplacement({
      ...{ home, restore, clock, log, audit, signal: options.signal },
      isInHome: config.storage === "sqlite",
      openStore: openOwnStore,
    });
    // Those of a copy belong to the daemon that runs.
    if (!options.rehearsal) await removeDrafts(home, log);
    const leftovers = await restore.listLeftovers();
    const engine = await openOwnStore();
    const core = await createStoreCore(engine, clock);
    const quarantine = await openQuarantine({ core, clock, log });
    const eventLog = createEventLog(core, clock);
    if (replacement) await reportReplacement(replacement, core, log);
    const stopRemoving = removeStages(restore, leftovers, log);
    return {
      ...logging,
      ...{ home, lock, clock, audit, core, quarantine, eventLog },
      ...{ markers, restore, replacement },
      bus: createEventBus({ core, log: eventLog, clock, logOf }),
      idempotency: createIdempotency(engine, clock),
      storeLost: store?.lost ?? new Promise(() => {}),
      emit: (...events) => core.commit("kernel", [], events),
      async close() {
        stopRemoving();
        await engine.close();
        await audit.close();
        await lock.release();
      },
    };
  } catch (error) {
    // Its lease would be renewed as long as this process exists.
    if (store?.lost) await store.engine.close().catch(() => {});
    await audit.close();
    await lock.release();
    if (isDamaged(error)) throw damagedStore(home, error);
    throw error;
  }
}

function createLogging(
  config: Config,
  clock: Clock,
  sink: LogSink,
): Pick<Foundation, "redact" | "logRing" | "logOf"> {
  const redact = createRedactor({ environment: process.env, settings: config });
  const logRing = createLogRing();
  const logOf = createLogFactory({
    ...{ level: config.log, sink, ring: logRing, redact },
    now: () => clock.timestamp(),
  });
  return { redact, logRing, logOf };
}

/** Emits that a pending replacement is over. A full disk must not keep the daemon from starting. */
async function reportReplacement(
  { mode, failure }: FinishedReplacement,
  core: StoreCore,
  log: Log,
): Promise<void> {
  await core
    .commit("kernel", [], [HomeReplaced.of("home", { mode, failure })])
    .catch((error: unknown) => log.error("Event not stored", {}, error));
}

/**
 * Removes stages beside the start, since large folders take their time and nothing depends on it. What a stop leaves of them
 * is removed at the next start.
 *
 * @returns stops removing
 */
function removeStages(
  restore: RestoreFolder,
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

const damagedStore = (home: Home, cause: unknown) =>
  new HomeError(
    `The store ${home.database} is damaged and was left as it is. Put a copy of it in its place, or move it away to start with an empty one.`,
    { cause },
  );
