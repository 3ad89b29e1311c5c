import type { Clock, EventRecord } from "@gantry/plugin";
import { toRemoval, Unreadable } from "../engine.ts";
import { eventKey } from "../store-core.ts";
import type { StoreCore } from "../store-core.ts";

/** How long and how many events are kept. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;
const KEPT_EVENTS = 100_000;
const PRUNE_CHUNK = 1000;

export type EventLog = ReturnType<typeof createEventLog>;

/** Reads and prunes the events of a store, in the order of their numbers. */
export function createEventLog(core: StoreCore, clock: Clock) {
  async function read(
    after: number,
    limit: number,
    upTo = core.latestEventId(),
  ): Promise<EventRecord[]> {
    if (upTo <= after) return [];
    const entries = await core.engine.scan({
      from: eventKey(after + 1),
      to: eventKey(upTo + 1),
      limit,
      reverse: false,
    });
    // A damaged one is passed over: it must not stop all that follow it.
    return entries.flatMap(({ value }) =>
      value instanceof Unreadable ? [] : (value as EventRecord),
    );
  }

  return {
    latest: () => core.latestEventId(),
    read,
    async holds(after: number): Promise<boolean> {
      const latest = core.latestEventId();
      if (after < core.eventFloor || after > latest) return false;
      const [oldest] = await read(0, 1);
      return after >= (oldest?.id ?? latest + 1) - 1;
    },
    /** Drops what is too old or too many, but never the newest, whose number must not be given again. */
    async prune(): Promise<void> {
      const horizon = new Date(clock.now() - KEPT_MS).toISOString();
      const excess = core.latestEventId() - KEPT_EVENTS;
      for (;;) {
        const events = await read(0, PRUNE_CHUNK, core.latestEventId() - 1);
        const stale = events.filter(
          (event) => event.id <= excess || event.at < horizon,
        );
        if (stale.length === 0) return;
        await core.engine.commit(
          stale.map((event) => toRemoval(eventKey(event.id))),
        );
        if (stale.length < PRUNE_CHUNK) return;
      }
    },
  };
}
