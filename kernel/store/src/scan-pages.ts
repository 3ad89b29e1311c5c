import type { Engine } from "./engine.ts";
import { keyRange, rangeBehind } from "./key-range.ts";
import type { KeyRange } from "./key-range.ts";
import type { RangeImage } from "./range-driver.ts";

const PAGE = 500;
/** A page ends with the value at which its characters reach this number, so that large ones are not held in memory together. */
export const MAX_PAGE_LENGTH = 128 * 1024;

/**
 * Reads all entries whose keys begin with a prefix, in ascending order and in pages, none of them empty. Other work runs in
 * between; entries of a page may be changed or removed before the next one is read.
 */
export const scanPages = (engine: Pick<Engine, "scan">, prefix: string) =>
  readPages(keyRange(prefix), (left) =>
    engine.scan({ ...left, limit: PAGE, reverse: false }),
  );

/** Reads all entries of a range of an image in pages, none of them empty. Other work runs in between. */
export const readImagePages = (
  image: RangeImage,
  range: KeyRange,
  limit = 100,
) =>
  readPages(range, async (left) =>
    image.readRange({
      ...left,
      limit,
      reverse: false,
      maxLength: MAX_PAGE_LENGTH,
    }),
  );

/** Whether there is a key that begins with a prefix. */
export async function hasPrefix(
  engine: Pick<Engine, "scan">,
  prefix: string,
): Promise<boolean> {
  const range = { ...keyRange(prefix), limit: 1, reverse: false };
  return (await engine.scan(range)).length > 0;
}

/** Reads a range in ascending order and in pages, none of them empty. Other work runs in between. */
async function* readPages<Entry extends { key: string }>(
  range: KeyRange,
  read: (range: KeyRange) => Promise<Entry[]>,
): AsyncGenerator<Entry[], void, void> {
  for (;;) {
    const page = await read(range);
    const last = page.at(-1);
    if (!last) return;
    yield page;
    range = rangeBehind(range, last.key, false);
    // A storage that answers at once would never let anything else run.
    await new Promise((resolve) => setImmediate(resolve));
  }
}
