import type { Store } from "@gantry/plugin";

const PAGE = 500;

/** When something was decided on this machine. */
interface Mark {
  at: string;
}

/**
 * Reads what was decided on this machine, by what follows the prefix in the keys, and forgets what is too much, the oldest first.
 *
 * @param max How many are kept.
 */
export async function readMarks<Value extends Mark>(
  store: Store,
  prefix: string,
  max: number,
): Promise<ReadonlyMap<string, Value>> {
  const found: { key: string; value: Value }[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.list<Value>(prefix, { limit: PAGE, cursor });
    found.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  found.sort((one, other) => (one.value.at < other.value.at ? 1 : -1));
  for (const { key } of found.splice(max)) await store.remove(key);
  return new Map(
    found.map(({ key, value }) => [key.slice(prefix.length), value]),
  );
}
