import type { StoreEntry } from "@gantry/plugin";

/** An entry of the snapshot, of the home, or of both. */
export type EntryPair =
  | { kept: StoreEntry; present: StoreEntry }
  | { kept: StoreEntry; present: undefined }
  | { kept: undefined; present: StoreEntry };

/** Entries of a namespace in the order of their keys, some at a time. */
export type EntryBatches = AsyncIterable<readonly StoreEntry[]>;

/**
 * Walks through the entries of a snapshot and those of the home side by side, each once.
 *
 * @param kept Of the snapshot.
 * @param present Of the home.
 */
export async function* joinEntries(
  kept: EntryBatches,
  present: EntryBatches,
): AsyncGenerator<EntryPair> {
  const [one, other] = [readSingly(kept), readSingly(present)];
  try {
    let left = await one.next();
    let right = await other.next();
    while (!left.done || !right.done) {
      if (left.done) {
        if (right.done) return;
        yield { kept: undefined, present: right.value };
        right = await other.next();
      } else if (right.done || left.value.key < right.value.key) {
        yield { kept: left.value, present: undefined };
        left = await one.next();
      } else if (left.value.key > right.value.key) {
        yield { kept: undefined, present: right.value };
        right = await other.next();
      } else {
        yield { kept: left.value, present: right.value };
        [left, right] = [await one.next(), await other.next()];
      }
    }
  } finally {
    await one.return(undefined);
    await other.return(undefined);
  }
}

async function* readSingly(batches: EntryBatches): AsyncGenerator<StoreEntry> {
  for await (const batch of batches) yield* batch;
}
