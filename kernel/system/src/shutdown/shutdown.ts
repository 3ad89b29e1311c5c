import { createDeadline } from "../clock/deadline.ts";
import type { Deadline } from "../clock/deadline.ts";

/** Time limit of a clean stop. After it the process exits, even if something hangs. */
export const STOP_LIMIT_MS = 10_000;
/** Part of the limit that is reserved for the steps after the plugins: ending children and closing the store. */
const RESERVED_MS = 2_500;
/** A supervisor that signals the process group reaches the daemon twice: directly, and through its parent process. */
const REPEAT_MS = 2_000;

/** Creates the deadline by which plugins must have stopped, for a clean stop that begins now. */
export const createStopDeadline = (): Deadline =>
  createDeadline(STOP_LIMIT_MS - RESERVED_MS);

/** A request to stop the daemon, which may arrive at any time, also during the start. */
export interface Shutdown {
  /** Aborts when a stop is requested. */
  readonly signal: AbortSignal;
  /** The deadline by which plugins must have stopped. It begins with the request. */
  deadline(): Deadline;
  /** Aborts when the whole stop exceeds its time limit. */
  readonly overdue: AbortSignal;
}

/** The part of `process` that emits signals. */
export type SignalSource = Pick<NodeJS.EventEmitter, "on">;

/**
 * Listens for the signals that ask the daemon to stop. Call it before anything else, so that no signal is missed.
 * A signal that is repeated within two seconds is one request; a later one expires the deadline.
 */
export function listenForShutdown(source: SignalSource): Shutdown {
  const requested = new AbortController();
  const overdue = new AbortController();
  let deadline: Deadline | undefined;
  let at = 0;

  function request(): void {
    const now = performance.now();
    if (deadline) {
      if (now - at >= REPEAT_MS) deadline.expire();
      return;
    }
    at = now;
    deadline = createStopDeadline();
    setTimeout(() => overdue.abort(), STOP_LIMIT_MS).unref();
    requested.abort();
  }

  for (const name of ["SIGTERM", "SIGINT", "SIGHUP"]) source.on(name, request);
  return {
    signal: requested.signal,
    overdue: overdue.signal,
    deadline: () => deadline ?? createStopDeadline(),
  };
}
