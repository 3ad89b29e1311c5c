import type {
  Clock,
  EventRecord,
  NewEvent,
  StoreOperation,
} from "@gantry/plugin";
import { writeWithCarried } from "@gantry/system/context/work-context";
import { errors } from "@gantry/system/errors";
import type { Engine } from "./engine.ts";
import type { NumberEvents, TextOperation } from "./range-driver.ts";

/** Where events live in the store; the number is padded so that key order is number order. */
export const EVENT_PREFIX = "kernel:event:";
const EVENT_DIGITS = 16;

/** Where it is noted what the store was replaced by, or what was merged into it. */
const EVENT_FLOOR_KEY = "kernel:event-floor";

/** What is noted with all that a replacement writes. */
interface EventFloor {
  /** No number up to this one is given again. Positions before it are of the store that was replaced. */
  after: number;
  /** Name of the stage. */
  stage: string;
}

/** The number in the key of an event; 0 for another key. */
export function eventNumberOf(key: string | undefined): number {
  if (!key?.startsWith(EVENT_PREFIX)) return 0;
  const number = Number(key.slice(EVENT_PREFIX.length));
  return Number.isSafeInteger(number) ? number : 0;
}

/** Reads where the events of a store begin, and the newest number that was ever given. */
export async function readEventPlace(engine: Engine) {
  const [newest] = await engine.scan({
    from: EVENT_PREFIX,
    to: `${EVENT_PREFIX}:`,
    limit: 1,
    reverse: true,
  });
  const { after = 0, stage } = ((await engine.get(EVENT_FLOOR_KEY)) ??
    {}) as Partial<EventFloor>;
  return { after, stage, newest: Math.max(after, eventNumberOf(newest?.key)) };
}

/** Notes what {@link readEventPlace} reads. */
export const toFloor = (after: number, stage: string): TextOperation => ({
  type: "set",
  key: EVENT_FLOOR_KEY,
  value: JSON.stringify({ after, stage } satisfies EventFloor),
});

/** Key of the event with a number. */
export function eventKey(id: number): string {
  return EVENT_PREFIX + String(id).padStart(EVENT_DIGITS, "0");
}

/** Makes what a driver numbers events with, after a number that is known to be given. @throws TypeError for data that are no JSON */
function toNumbering(
  events: readonly NewEvent[],
  { at, plugin }: Pick<EventRecord, "at" | "plugin">,
  after: number,
): NumberEvents {
  // Such members of an event that is emitted again are those of its first record.
  const none = { id: undefined, at: undefined, plugin: undefined };
  const begun = events.map((event) =>
    JSON.stringify({ ...event, ...none }).slice(0, -1),
  );
  const end = JSON.stringify({ at, plugin }).slice(1);
  return (newest) => {
    let id = Math.max(newest, after);
    const operations = begun.map((text): TextOperation => {
      const value = `${text},"id":${++id},${end}`;
      return { type: "set", key: eventKey(id), value };
    });
    return { operations, newest: id };
  };
}

export type StoreCore = Awaited<ReturnType<typeof createStoreCore>>;

type Subscriber = (events: readonly EventRecord[]) => void;

/** Writes batches of records and the events about them, and says so once they are durable. */
export async function createStoreCore(engine: Engine, clock: Clock) {
  const { after: eventFloor, newest } = await readEventPlace(engine);
  let published = newest;
  const subscribers = new Set<Subscriber>();
  const inFlight = new Set<Promise<unknown>>();
  const open = (_plugin: string) => false;
  let isClosedTo = open;

  return {
    engine,
    /** What every commit passes. */
    gate: {
      /**
       * Refuses writes to the records of some plugins. Resolves when no write of before is in flight any more.
       *
       * @returns opens it again
       */
      async close(isClosed: (plugin: string) => boolean): Promise<() => void> {
        isClosedTo = isClosed;
        await Promise.allSettled(inFlight);
        return () => {
          isClosedTo = open;
        };
      },
    },
    /** Number of the newest event that was ever stored. */
    latestEventId: () => published,
    /** A position in the events before this one is of a store that was replaced, so no client can continue from there. */
    eventFloor,
    /**
     * Writes operations (full keys) and events in one batch. What the current work carries is written with them.
     * Then, in the order of their numbers, the events are handed to the subscribers.
     *
     * @param owner Whose records are written, if not those of `plugin`: the write is refused when that plugin's would be.
     * @throws `HOME_REPLACEMENT_PENDING` while the gate is closed to the owner
     */
    async commit(
      plugin: string,
      operations: readonly StoreOperation[],
      events: readonly NewEvent[] = [],
      owner = plugin,
    ): Promise<void> {
      const count = events.length;
      if (operations.length + count === 0) return;
      if (isClosedTo(owner)) throw errors.HOME_REPLACEMENT_PENDING();
      const origin = { at: clock.timestamp(), plugin };
      const numberEvents =
        count > 0 ? toNumbering(events, origin, published) : undefined;
      const written = writeWithCarried((carried) =>
        engine.commit([...carried, ...operations], numberEvents),
      );
      inFlight.add(written);
      const newest = await written.finally(() => inFlight.delete(written));
      if (count === 0) return;
      const before = newest - count;
      const records = events.map((event, at): EventRecord => {
        return { ...event, id: before + at + 1, ...origin };
      });
      published = newest;
      for (const subscriber of subscribers) subscriber(records);
    },
    /** Adds a subscriber, which gets events right after they became durable. It must not throw. */
    subscribe(subscriber: Subscriber): () => void {
      subscribers.add(subscriber);
      return () => subscribers.delete(subscriber);
    },
  };
}
