import type { EventRecord } from "./event.ts";

/** The stored events of all plugins, for a plugin that passes them on; see {@link AnyEvent} for those to come. */
export interface EventLog {
  /** Number of the newest event. */
  latest(): number;
  /** Whether every event behind a number can be read: the log was not cut there, and the number is one of this store. */
  holds(after: number): Promise<boolean>;
  /**
   * Events behind a number and up to `upTo`, the newest unless said, in their order and at most `limit`. One that is damaged
   * is passed over.
   */
  read(after: number, limit: number, upTo?: number): Promise<EventRecord[]>;
}
