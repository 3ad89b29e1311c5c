/** Removes a registration. Calling it again has no effect. */
export type Disposer = () => void;

/**
 * The daemon's clock, which tests control. A plugin reads the time and waits only through it.
 *
 * Timers belong to the plugin: those that are pending when its stop has finished are cancelled. Until then they keep running,
 * so that a cleanup can use a timeout. Afterwards {@link after} throws and {@link sleep} rejects with `PLUGIN_STOPPED`.
 */
export interface Clock {
  /** Wall time in ms since 1970 UTC. May jump forwards and backwards. */
  now(): number;
  /** Wall time as RFC 3339 UTC with milliseconds. */
  timestamp(): string;
  /** Monotonic time in ms, for durations and deadlines. */
  monotonic(): number;
  /**
   * Calls back once after a delay in ms, which may exceed the 24 days of a platform timer. An error of the callback is logged.
   *
   * @returns A function that cancels the timer.
   */
  after(ms: number, callback: () => void): Disposer;
  /**
   * Resolves after a delay in ms. Rejects with the signal's reason when the signal aborts, and with `PLUGIN_STOPPED` when the
   * plugin has stopped.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
