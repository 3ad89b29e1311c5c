import { errors } from "../errors.ts";

const KERNEL = "kernel";

/** Lets writes to the store through, or those of one plugin and the kernel alone, which notes how plugins stop. */
export interface WriteGate {
  /** Makes a write. @throws HOME_REPLACEMENT_PENDING while the gate is closed to the plugin */
  pass(plugin: string, write: () => Promise<void>): Promise<void>;
  /**
   * Closes the gate to all plugins but one. Resolves when no write of before is in flight any more.
   *
   * @returns opens it again
   */
  closeFor(plugin: string): Promise<() => void>;
}

export function createWriteGate(): WriteGate {
  const inFlight = new Set<Promise<void>>();
  let owner: string | undefined;

  return {
    async pass(plugin, write) {
      if (owner !== undefined && plugin !== owner && plugin !== KERNEL)
        throw errors.HOME_REPLACEMENT_PENDING();
      const written = write();
      inFlight.add(written);
      try {
        await written;
      } finally {
        inFlight.delete(written);
      }
    },
    async closeFor(plugin) {
      owner = plugin;
      await Promise.allSettled(inFlight);
      return () => {
        owner = undefined;
      };
    },
  };
}
