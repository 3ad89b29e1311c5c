import type { FakeWholeHome } from "./fake-whole-home.ts";

/** A snapshot that waits until the test calls `release`. */
export interface HeldReading {
  /** Resolves when the store was asked for. */
  begun: Promise<void>;
  release(): void;
}

/** Holds the next reading of a store until it is released or aborted. */
export function holdReading(home: FakeWholeHome): HeldReading {
  const { readStore } = home;
  let release: () => void = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const begun = new Promise<void>((resolve) => {
    home.readStore = async (signal) => {
      home.readStore = readStore;
      resolve();
      signal.addEventListener("abort", release, { once: true });
      await held;
      signal.throwIfAborted();
      return await readStore(signal);
    };
  });
  return { begun, release };
}
