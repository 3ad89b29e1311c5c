import { errors } from "@gantry/system/errors";

/** Lets writes to the store through, or refuses those to the records of some plugins. */
export interface WriteGate {
  /** Makes a write. @throws HOME_REPLACEMENT_PENDING while the gate is closed to the plugin */
  pass(plugin: string, write: () => Promise<void>): Promise<void>;
  /**
   * Closes the gate to some plugins. Resolves when no write of before is in flight any more.
   *
   * @returns opens it again
   */
  close(isClosedTo: (plugin: string) => boolean): Promise<() => void>;
}

export function createWriteGate(): WriteGate {
  const inFlight = new Set<Promise<void>>();
  const open = () => false;
  let isClosed: (plugin: string) => boolean = open;

  return {
    async pass(plugin, write) {
      if (isClosed(plugin)) throw errors.HOME_REPLACEMENT_PENDING();
      const written = write();
      inFlight.add(written);
      try {
        await written;
      } finally {
        inFlight.delete(written);
      }
    },
    async close(isClosedTo) {
      isClosed = isClosedTo;
      await Promise.allSettled(inFlight);
      return () => {
        isClosed = open;
      };
    },
  };
}
