import { AnyEvent, keyPart } from "@gantry/plugin";
import type { Clock, EventRecord, Log, StoreOperation } from "@gantry/plugin";
import { runInContext } from "@gantry/system/context/work-context";
import type { WorkUnit } from "@gantry/system/context/work-context";
import { isStorageFailure } from "../storage-error.ts";
import type { StoreCore } from "../store-core.ts";
import type { EventLog } from "./event-log.ts";

const PAGE = 500;
/** Delays before another try of one event; after the last it is passed over and logged, so that it blocks no other. */
const RETRY_DELAYS_MS = [1_000, 5_000, 30_000];
/** Delay before another try when the storage does not work. Such a failure does not count against the event. */
const STORAGE_RETRY_MS = 30_000;
/** Events that wait in memory for a listener that is slow; those beyond are read from the log later. */
const MAX_WAITING = 1_000;

/** A listener with its types forgotten; the token that it was registered with says what it takes. */
export type Listener = (event: EventRecord<never>) => void | Promise<void>;

/** Dependencies of listeners. */
export interface EventBusHost {
  core: StoreCore;
  log: EventLog;
  clock: Clock;
  /** The log of lines, by plugin. */
  logOf(plugin: string): Log;
}

/** A listener that was registered, and the name of its place in the log. */
export interface DurableRegistration {
  plugin: string;
  name: string;
  type: string;
  handler: Listener;
}

/** A listener that takes each event of its type exactly once, also those that were stored while it did not run. */
export type DurableListener = ReturnType<typeof createDurableListener>;

/**
 * Delivers events of one type in order and exactly once: the place in the log is stored in the same batch as the first
 * write of the handler, so a crash leaves either both or neither. The log is read only to catch up; after that, events
 * come as they are stored.
 */
export function createDurableListener(
  host: EventBusHost,
  registration: DurableRegistration,
) {
  const { core, log, clock, logOf } = host;
  const { plugin, name, type } = registration;
  const key = `kernel:cursor:${keyPart(plugin)}:${keyPart(name)}`;
  const stopping = new AbortController();
  const toMove = (after: number): StoreOperation => ({
    type: "set",
    key,
    value: { after },
  });
  /** All events of its type up to here have been taken. `undefined` until the cursor is read. */
  let after: number | undefined;
  /** Where the stored cursor is. */
  let stored = 0;
  /** Events received since it caught up with the log; `undefined` while it reads the log. */
  let waiting: EventRecord[] | undefined;
  let isRunning = false;
  let cancelRetry = () => {};

  async function loadCursor(): Promise<number> {
    const cursor = await core.engine.get(key);
    const { after } = (cursor ?? {}) as { after?: unknown };
    if (typeof after === "number") return (stored = after);
    const latest = log.latest();
    await core.engine.commit([toMove(latest)]);
    return (stored = latest);
  }

  async function take(event: EventRecord): Promise<void> {
    stopping.signal.throwIfAborted();
    const moved = toMove(event.id);
    await deliver(host, registration, event, moved, stopping.signal);
    stored = after = event.id;
  }

  async function catchUp(): Promise<void> {
    after ??= await loadCursor();
    while (after < log.latest()) {
      const upTo = log.latest();
      const page = await log.read(after, PAGE, upTo);
      for (const event of page) {
        if (type === event.type || type === AnyEvent.type) await take(event);
        after = event.id;
      }
      if (page.length === 0) after = upTo;
    }
    // Nothing is awaited after the last look at the log, so no event is missed in between.
    waiting = [];
  }

  async function run(): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    cancelRetry();
    try {
      for (;;) {
        if (!waiting) await catchUp();
        else if (waiting[0]) {
          await take(waiting[0]);
          waiting?.shift();
        } else return;
      }
    } catch (error) {
      // What was not taken is read from the log.
      waiting = undefined;
      if (stopping.signal.aborted) return;
      logOf(plugin).error("Durable listener waits", { event: type }, error);
      cancelRetry = clock.after(STORAGE_RETRY_MS, () => void run());
    } finally {
      isRunning = false;
    }
  }

  void run();
  return {
    /** Takes an event of its type that was just stored. */
    receive(event: EventRecord): void {
      if (waiting && waiting.length >= MAX_WAITING) waiting = undefined;
      waiting?.push(event);
      void run();
    },
    /** Operations that move its cursor up to an event. None if it has not taken all events up to it, or is there already. */
    toAdvance(upTo: number): StoreOperation[] {
      if (waiting?.length !== 0 || isRunning || upTo <= stored) return [];
      stored = after = upTo;
      return [toMove(upTo)];
    },
    stop(): void {
      stopping.abort();
      cancelRetry();
    },
  };
}

/**
 * Calls a handler with one event, again after a failure that had no effect.
 *
 * @param moved Moves the cursor, together with the first write of the handler.
 * @throws the failure of the storage if nothing was written because of it
 */
async function deliver(
  { core, clock, logOf }: EventBusHost,
  { plugin, handler }: DurableRegistration,
  event: EventRecord,
  moved: StoreOperation,
  signal: AbortSignal,
): Promise<void> {
  for (const delay of [...RETRY_DELAYS_MS, undefined]) {
    const unit: WorkUnit = { carried: [moved] };
    try {
      await runInContext({ plugin, unit }, () =>
        handler(event as EventRecord<never>),
      );
      // A handler that wrote nothing took the cursor along with nothing.
      const left = unit.carried;
      // What it set off and did not wait for must not write this place once it is an old one.
      unit.carried = undefined;
      if (left) await core.engine.commit(left);
      return;
    } catch (error) {
      const hadEffect = unit.carried === undefined;
      unit.carried = undefined;
      if (!hadEffect && isStorageFailure(error)) throw error;
      const retry = hadEffect ? undefined : delay;
      logOf(plugin).error(
        "Durable listener failed",
        { event: event.type, id: event.id, retry: retry ?? null },
        error,
      );
      // The effect is stored and the cursor with it; once more would be twice.
      if (hadEffect) return;
      if (delay === undefined) return void (await core.engine.commit([moved]));
      await clock.sleep(delay, signal);
    }
  }
}
