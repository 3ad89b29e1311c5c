import type { Disposer } from "./clock.ts";
import type { EventRecord } from "./event.ts";

/**
 * The stored events of all plugins, in the order of their numbers. The daemon keeps those of seven days, at most 100,000.
 * A plugin that only reacts to events uses `ctx.on`; this is for one that passes the log on, such as to clients that resume.
 */
export interface EventLog {
  /** Number of the newest stored event, 0 before the first. */
  latest(): number;
  /**
   * Whether a reader that has everything up to `position` can continue from there without a gap. `false` if events behind it
   * were pruned, if it is ahead of the log, or if the store was replaced since.
   */
  covers(position: number): Promise<boolean>;
  /** Events with a number over `after` and up to `upTo` (the newest unless given), the oldest first, at most `limit`. */
  read(options: {
    after: number;
    upTo?: number;
    limit: number;
  }): Promise<EventRecord[]>;
  /**
   * Calls `listener` with each batch of events, right after it is stored and in the order of the log. It is called
   * synchronously, so that no event is missed or repeated between the last `read` and what the listener receives. What it
   * throws is logged.
   */
  follow(listener: (events: readonly EventRecord[]) => void): Disposer;
}
