/** Takes back what was registered. Calling it twice is harmless. */
export type Disposer = () => void;

/** The daemon's time, which tests drive. Nothing in a plugin reads the time or waits in another way. */
export interface Clock {
  /** Wall time in ms since 1970 UTC. It may jump. */
  now(): number;
  /** Wall time as RFC 3339 UTC with milliseconds. */
  timestamp(): string;
  /** Milliseconds that only grow. For durations and deadlines. */
  monotonic(): number;
  /**
   * Calls back once after a time in ms; a time over 24 days is waited for in steps. A plugin's callback is not called once
   * the plugin has stopped.
   */
  after(ms: number, callback: () => void): Disposer;
  /**
   * Resolves after a time in ms. Rejects with the signal's reason when it aborts. No longer resolves after the
   * plugin has stopped.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
