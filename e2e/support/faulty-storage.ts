import memory from "unstorage/drivers/memory";
import type { Driver } from "unstorage";

/** Storage that lives as long as the test, and that can be told to fail. */
export interface FaultyStorage {
  /** Value of `storage` in the configuration of a kernel that is to use it. */
  readonly config: { driver: string; options: { name: string } };
  /**
   * Lets the n-th write from now on fail, and those after it.
   *
   * @returns whether it came to that when called
   */
  failFrom(write: number): () => boolean;
  /** Lets every write succeed again. */
  repair(): void;
  /** Another storage with the same content. */
  copy(): FaultyStorage;
}

interface Content {
  entries: Map<string, unknown>;
  failing: number;
  writes: number;
}

const KEY = Symbol.for("gantry.faulty-storage");

// Shared by both instances of this module: a test has its own, and the kernel loads another by its address.
const shared = globalThis as { [KEY]?: Map<string, Content> };
const contents = (shared[KEY] ??= new Map<string, Content>());

/** Makes storage with some entries. */
export function createFaultyStorage(
  entries: Iterable<readonly [string, unknown]> = [],
): FaultyStorage {
  const name = `storage-${contents.size + 1}`;
  const content: Content = {
    entries: new Map(entries),
    failing: Number.POSITIVE_INFINITY,
    writes: 0,
  };
  contents.set(name, content);
  return {
    config: { driver: import.meta.url, options: { name } },
    failFrom(write) {
      content.writes = 0;
      content.failing = write;
      return () => content.writes >= content.failing;
    },
    repair() {
      content.failing = Number.POSITIVE_INFINITY;
    },
    copy: () => createFaultyStorage(content.entries),
  };
}

/** The driver that a kernel loads by this module's address. */
export default function faultyDriver({ name }: { name: string }): Driver {
  const content = contents.get(name)!;
  const { entries } = content;
  const write = (key: string, change: () => void) => {
    // The lease of the store is renewed by the clock, so counting it would make the n-th write another one each time.
    if (key !== "kernel:lease" && ++content.writes >= content.failing)
      throw Object.assign(new Error("No space is left."), { code: "ENOSPC" });
    change();
  };
  return {
    ...memory(),
    name: "faulty",
    hasItem: (key) => entries.has(key),
    getItem: (key) => (entries.get(key) as string | undefined) ?? null,
    getKeys: () => [...entries.keys()],
    setItem: (key, value) => write(key, () => void entries.set(key, value)),
    removeItem: (key) => write(key, () => void entries.delete(key)),
    dispose: () => {},
  };
}
