import { createDeadline } from "./deadline.ts";
import type { Deadline } from "./deadline.ts";

/** Time limit of a clean stop; then the process exits, whatever still hangs. */
export const STOP_LIMIT_MS = 10_000;
/** Part of it that is kept for what follows the stop of the plugins: killing children and closing the store. */
const RESERVED_MS = 2_500;
/** A supervisor that signals the whole process group reaches the daemon twice: directly, and through what started it. */
const REPEAT_MS = 2_000;

/** Makes the deadline of a clean stop that begins now: by when everything of plugins must be over. */
export const createStopDeadline = (): Deadline =>
  createDeadline(STOP_LIMIT_MS - RESERVED_MS);

/** A request to stop the daemon, which may come at any time, also while it starts. */
export type Shutdown = ReturnType<typeof listenForShutdown>;

/** The part of a process that signals come from. */
export type SignalSource = Pick<NodeJS.EventEmitter, "on">;

/**
 * Listens for the signals that ask the daemon to stop. Call it before anything else, so that none comes too early.
 * The same request twice within two seconds is one request; another one after that expires the deadline.
 */
export function listenForShutdown(source: SignalSource) {
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
    /** Aborts when the stop is asked for. */
    signal: requested.signal,
    /** Aborts when the whole stop takes too long. */
    overdue: overdue.signal,
    /** By when everything of plugins must be over. Begins with the request. */
    deadline: () => deadline ?? createStopDeadline(),
  };
}
