import { HomeReplaced } from "@gantry/plugin";
import type { Clock, Log, NewEvent } from "@gantry/plugin";
import { openAudit } from "@gantry/audit/audit";
import type { Audit } from "@gantry/audit/audit";
import type { Config } from "./config/config.ts";
import { createEventBus } from "@gantry/store/events/event-bus";
import { createEventLog } from "@gantry/store/events/event-log";
import { openStore } from "@gantry/store/open-store";
import { openQuarantine } from "@gantry/store/quarantine";
import { isDamaged } from "@gantry/store/storage-error";
import { createStoreCore } from "@gantry/store/store-core";
import type { EventBus } from "@gantry/store/events/event-bus";
import type { EventLog } from "@gantry/store/events/event-log";
import type { SyncFile } from "@gantry/store/log-flusher";
import type { Quarantine } from "@gantry/store/quarantine";
import type { StoreCore } from "@gantry/store/store-core";
import type { LeaseTimes, StoreLease } from "@gantry/store/store-lease";
import { HomeError, homePaths, openHome } from "@gantry/system/home/home";
import { acquireLock } from "@gantry/system/home/lock";
import { createLogFactory } from "@gantry/system/log/log";
import { createLogRing } from "@gantry/system/log/log-ring";
import { createRedactor } from "@gantry/system/log/redact";
import { createMarkers } from "@gantry/system/processes/markers";
import type { Home } from "@gantry/system/home/home";
import type { InstanceLock } from "@gantry/system/home/lock";
import type { LogSink } from "@gantry/system/log/log";
import type { LogRing } from "@gantry/system/log/log-ring";
import type { Redactor } from "@gantry/system/log/redact";
import type { Markers } from "@gantry/system/processes/markers";
import type { UserError } from "@gantry/system/user-error";
import { createIdempotency } from "@gantry/http/idempotency";
import type { Idempotency } from "@gantry/http/idempotency";
import type { Rehearsal } from "./rehearsal.ts";
import { finishReplacement } from "@gantry/whole-home/finish-replacement";
import { restoreFolder } from "@gantry/whole-home/replacement-files";
import type { FinishedReplacement } from "@gantry/whole-home/finish-replacement";
import type { RestoreFolder } from "@gantry/whole-home/replacement-files";

/** The home, its store and its events, which all other parts depend on. */
export interface Foundation {
  readonly home: Home;
  readonly lock: InstanceLock;
  readonly clock: Clock;
  /** Removes secrets from log lines. */
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
  /** The replacement of the home that this start completed, if one was pending. */
  readonly replacement: FinishedReplacement | undefined;
  /** Resolves when another daemon has taken over the store; every later write fails. */
  readonly storeLost: Promise<UserError>;
  logOf(owner: string): Log;
  /** Writes the kernel's own events. */
  emit(...events: NewEvent[]): Promise<void>;
  close(): Promise<void>;
}

/** Options of {@link openHomeAndStore}. */
export interface FoundationOptions {
  /** How its files are flushed. */
  sync?: SyncFile;
  /** Times of the lease on a store outside of the home. */
  leaseTimes?: Partial<LeaseTimes>;
  /** Aborts waiting for the lease of another daemon. */
  signal?: AbortSignal;
  /** Set if the home is a copy. */
  rehearsal?: Rehearsal;
}

/** Locks the home, ends processes that a crashed daemon left, and opens the store. */
export async function openHomeAndStore(
  config: Config,
  clock: Clock,
  sink: LogSink,
  { sync, leaseTimes, signal, rehearsal }: FoundationOptions = {},
): Promise<Foundation> {
  const home = homePaths(config.home);
  const { logOf, logRing, redact } = createLogging(config, clock, sink);
  const log = logOf("kernel");
  for (const mended of await openHome(home)) log.warn(mended);
  const lock = await acquireLock(home);
  const audit = await openAudit({ folder: home.audit, clock, log, redact });
  let lease: StoreLease | undefined;
  const restore = restoreFolder(home);

  const openOwnStore = async () => {
    const { storage } = config;
    const options = { storage, home, log, sync, leaseTimes, signal };
    const opened = await openStore(options);
    lease = opened.lease;
    return opened.engine;
  };

  try {
    if (lock.leftBy)
      await audit.record("lock.taken-over", { pid: lock.leftBy.pid });
    const markers = createMarkers(home.processes);
    // The markers of a copy belong to children of the running daemon.
    const ended = rehearsal ? 0 : await markers.endLeftovers();
    if (ended > 0)
      log.warn("Ended processes that a crashed daemon left behind", {
        count: ended,
      });
    const replacement = await finishReplacement({
      home,
      restore,
      clock,
      log,
      audit,
      isInHome: config.storage === "sqlite",
      openStore: openOwnStore,
      signal,
    });
    const leftovers = await restore.listLeftovers();
    const engine = await openOwnStore();
    const core = await createStoreCore(engine, clock);
    const quarantine = await openQuarantine({ core, clock, log });
    const eventLog = createEventLog(core, clock);
    if (replacement) await reportReplacement(core, replacement, log);
    // Not awaited, since large folders take long. Folders that are left when the daemon stops are removed at the next start.
    const closing = new AbortController();
    void restore
      .remove(leftovers, closing.signal)
      .catch((error: unknown) =>
        log.warn("Stages not removed", { reason: String(error) }),
      );
    return {
      ...{ home, lock, clock, audit, markers, redact, logRing, logOf },
      ...{ core, quarantine, eventLog, restore, replacement },
      bus: createEventBus({ core, log: eventLog, clock, logOf }),
      idempotency: createIdempotency(engine, clock),
      storeLost: lease?.lost ?? new Promise(() => {}),
      emit: (...events) => core.commit("kernel", [], events),
      async close() {
        closing.abort();
        await engine.close();
        await audit.close();
        await lock.release();
      },
    };
  } catch (error) {
    // A lease that is not released would be renewed as long as this process exists.
    await Promise.resolve(lease?.driver.dispose?.()).catch(() => {});
    await audit.close();
    await lock.release();
    if (isDamaged(error)) throw damagedStore(home, error);
    throw error;
  }
}

function createLogging(config: Config, clock: Clock, sink: LogSink) {
  const redact = createRedactor({ environment: process.env, settings: config });
  const logRing = createLogRing();
  const logOf = createLogFactory({
    ...{ sink, redact, level: config.log, ring: logRing },
    now: () => clock.timestamp(),
  });
  return { logOf, logRing, redact };
}

/** Stores the event of a replacement. A full disk must not keep the daemon from starting. */
async function reportReplacement(
  core: StoreCore,
  { mode, failure }: FinishedReplacement,
  log: Log,
): Promise<void> {
  const replaced = HomeReplaced.of("home", { mode, failure });
  await core
    .commit("kernel", [], [replaced])
    .catch((error: unknown) => log.error("Event not stored", {}, error));
}

const damagedStore = (home: Home, cause: unknown) =>
  new HomeError(
    `The store ${home.database} is damaged and was left as it is. Put a copy of it in its place, or move it away to start with an empty one.`,
    { cause },
  );
