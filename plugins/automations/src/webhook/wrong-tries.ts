import type { Clock } from "@gantry/plugin";

/** Counts wrong secrets, by the id in the address. */
export interface WrongTries {
  /** Counts one. Gives the seconds to wait if there were too many, and does not count it then. */
  add(id: string): number | undefined;
}

const MAX_WRONG_TRIES = 10;
const WINDOW_MS = 60_000;
/** Ids that are remembered. An id that does not exist is counted like one that does, so that the answers are alike. */
const MAX_IDS = 10_000;

export function createWrongTries(
  clock: Clock,
  isKnown: (id: string) => boolean,
): WrongTries {
  // Guesses at ids that do not exist must not push out the count of one that does.
  const known = new Map<string, number[]>();
  const unknown = new Map<string, number[]>();
  return {
    add(id) {
      const now = clock.monotonic();
      const tries = isKnown(id) ? known : unknown;
      const times = (tries.get(id) ?? []).filter(
        (time) => now - time < WINDOW_MS,
      );
      const [oldest] = times;
      if (times.length >= MAX_WRONG_TRIES && oldest !== undefined)
        return Math.max(1, Math.ceil((oldest + WINDOW_MS - now) / 1000));
      tries.delete(id);
      tries.set(id, [...times, now]);
      if (tries.size > MAX_IDS) tries.delete(tries.keys().next().value ?? id);
      return undefined;
    },
  };
}
