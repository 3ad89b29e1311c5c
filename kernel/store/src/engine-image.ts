import type { StoreEntry } from "@gantry/plugin";
import { readPages } from "./key-range.ts";
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
export const readImagePages = (
  image: EngineImage,
  range: KeyRange,
  limit = MAX_PAGE_ENTRIES,
) => readPages(range, (left) => image.read(left, limit));
