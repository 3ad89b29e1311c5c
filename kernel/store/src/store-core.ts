import type {
  Clock,
  EventRecord,
  NewEvent,
  StoreOperation,
} from "@gantry/plugin";
import { writeWithCarried } from "@gantry/system/context/work-context";
import type { Engine } from "./engine.ts";
import { createWriteGate } from "./write-gate.ts";
import type { WriteGate } from "./write-gate.ts";

/** Where events live in the store; the number is padded so that key order is number order. */
export const EVENT_PREFIX = "kernel:event:";
const EVENT_DIGITS = 16;

/** Where it is noted that the store was replaced. */
export const EVENT_FLOOR_KEY = "kernel:event-floor";

/** What is noted when the store is replaced. */
export interface EventFloor {
  /** No number up to this one is given again. Positions before it are of the store that was replaced. */
  after: number;
  /** Name of the stage that it was replaced by. */
  stage: string;
}

/** Key of the event with a number. */
export function eventKey(id: number): string {
  return EVENT_PREFIX + String(id).padStart(EVENT_DIGITS, "0");
}

/** Writes batches of records and the events about them, and says so once they are durable. */
export interface StoreCore {
  readonly engine: Engine;
  /** What every {@link commit} passes. */
  readonly gate: Pick<WriteGate, "close">;
  /** Number of the newest event that was ever stored. */
  latestEventId(): number;
  /** A position in the events before this one is of a store that was replaced, so no client can continue from there. */
  readonly eventFloor: number;
  /**
   * Writes operations (full keys) and events in one batch. What the current work carries is written with them.
   * Then, in the order of their numbers, the events are handed to the subscribers.
   *
   * @param owner Whose records are written, if not those of `plugin`: the write is refused when that plugin's would be.
   */
  commit(
    plugin: string,
    operations: readonly StoreOperation[],
    events?: readonly NewEvent[],
    owner?: string,
  ): Promise<void>;
  /** Adds a subscriber, which gets events right after they became durable. It must not throw. */
  subscribe(subscriber: (events: readonly EventRecord[]) => void): () => void;
}

/** Puts events and records together on an engine. */
export async function createStoreCore(
  engine: Engine,
  clock: Clock,
): Promise<StoreCore> {
  const [newest] = await engine.scan({
    from: EVENT_PREFIX,
    to: `${EVENT_PREFIX}:`,
    limit: 1,
    reverse: true,
  });
  const floor = (await engine.get(EVENT_FLOOR_KEY)) as
    Partial<EventFloor> | undefined;
  const eventFloor = floor?.after ?? 0;
  let assigned = Math.max(
    eventFloor,
    newest ? Number(newest.key.slice(EVENT_PREFIX.length)) : 0,
  );
  let published = assigned;
  const gate = createWriteGate();
  const subscribers = new Set<(events: readonly EventRecord[]) => void>();

  return {
    engine,
    gate,
    latestEventId: () => published,
    eventFloor,
    async commit(plugin, operations, events = [], owner = plugin) {
      const at = clock.timestamp();
      // The number is taken before the write and commits keep their order, so the log has no event out of order.
      const records = events.map((event): EventRecord => ({
        ...event,
        id: ++assigned,
        at,
        plugin,
      }));
      const own: StoreOperation[] = [
        ...operations,
        ...records.map((record): StoreOperation => ({
          type: "set",
          key: eventKey(record.id),
          value: record,
        })),
      ];
      if (own.length === 0) return;
      await gate.pass(owner, () =>
        writeWithCarried((carried) => engine.commit([...carried, ...own])),
      );
      if (records.length === 0) return;
      published = Math.max(published, records.at(-1)?.id ?? 0);
      for (const subscriber of subscribers) subscriber(records);
    },
    subscribe(subscriber) {
      subscribers.add(subscriber);
      return () => subscribers.delete(subscriber);
    },
  };
}
