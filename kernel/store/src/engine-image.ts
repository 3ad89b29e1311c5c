import type { StoreEntry } from "@gantry/plugin";
import type { KeyRange } from "./key-range.ts";

/** Entries that are read at once. */
const MAX_PAGE_ENTRIES = 100;
/** A page ends when its values have so many characters, so that large ones are not held in memory together. */
export const MAX_PAGE_LENGTH = 128 * 1024;

/**
 * All entries of a store as they were at one moment, while others continue to write. They are read in ascending order: what lies
 * before an entry that was read may be given up.
 */
export interface EngineImage {
  /**
   * The first entries of a range, in the order of their keys: at most `limit`, and fewer if they are large. None at the end
   * of the range.
   *
   * @throws `STORAGE_UNAVAILABLE`, `STORAGE_FULL`; also once the image is closed
   */
  read(range: KeyRange, limit: number): Promise<StoreEntry[]>;
  /** Lets go of it; twice is harmless. */
  close(): Promise<void>;
}

/** Reads all entries of a range in pages, none of them empty. Other work runs in between. */
export async function* readImagePages(
  image: EngineImage,
  { from, to }: KeyRange,
  limit = MAX_PAGE_ENTRIES,
): AsyncGenerator<StoreEntry[], void, void> {
  for (let position = from; ;) {
    const page = await image.read({ from: position, to }, limit);
    const last = page.at(-1);
    if (!last) return;
    yield page;
    position = `${last.key}\u0000`;
    // An image that answers at once would never let anything else run.
    await new Promise((resolve) => setImmediate(resolve));
  }
}
