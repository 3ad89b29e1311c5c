import type { Engine, Entry } from "./engine.ts";
import { keyRange, rangeBehind } from "./key-range.ts";

const PAGE = 500;

/**
 * Reads all entries whose keys begin with a prefix, in ascending order and in pages, none of them empty. Other work runs in
 * between; entries of a page may be changed or removed before the next one is read.
 */
export async function* scanPages(
  engine: Pick<Engine, "scan">,
  prefix: string,
): AsyncGenerator<readonly Entry[], void, void> {
  let range = keyRange(prefix);
  for (;;) {
    const page = await engine.scan({ ...range, limit: PAGE, reverse: false });
    const last = page.at(-1);
    if (!last) return;
    yield page;
    if (page.length < PAGE) return;
    range = rangeBehind(range, last.key, false);
    // A storage that answers at once would never let anything else run.
    await new Promise((resolve) => setImmediate(resolve));
  }
}
