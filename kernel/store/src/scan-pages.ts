import type { Engine } from "./engine.ts";
import { keyRange, readPages } from "./key-range.ts";

const PAGE = 500;

/**
 * Reads all entries whose keys begin with a prefix, in ascending order and in pages, none of them empty. Other work runs in
 * between; entries of a page may be changed or removed before the next one is read.
 */
export const scanPages = (engine: Pick<Engine, "scan">, prefix: string) =>
  readPages(keyRange(prefix), (left) =>
    engine.scan({ ...left, limit: PAGE, reverse: false }),
  );

/** Whether there is a key that begins with a prefix. */
export async function hasPrefix(
  engine: Pick<Engine, "scan">,
  prefix: string,
): Promise<boolean> {
  const range = { ...keyRange(prefix), limit: 1, reverse: false };
  return (await engine.scan(range)).length > 0;
}
