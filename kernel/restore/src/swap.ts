import { rm } from "node:fs/promises";
import { isThere, moveDurably } from "./durable-files.ts";

/** A file or folder that takes the place of another one, or of none. */
export interface SwapItem {
  /** Where the new one is staged. */
  readonly staged: string;
  readonly place: string;
  /** Where the old one is kept until all is over. */
  readonly aside: string;
}

/**
 * Puts staged things in place and keeps what was there before aside. What is done already is seen from what lies where, so it
 * may be called again after an interruption at any step.
 */
export async function putInPlace(items: readonly SwapItem[]): Promise<void> {
  for (const { staged, place, aside } of items) {
    if (!(await isThere(staged))) continue;
    if (await isThere(place)) await moveDurably(place, aside);
    await moveDurably(staged, place);
  }
}

/** Takes back what {@link putInPlace} did, all of it or a part. May be called again after an interruption. */
export async function putBack(items: readonly SwapItem[]): Promise<void> {
  for (const { staged, place, aside } of [...items].reverse()) {
    const isAside = await isThere(aside);
    if (!(await isThere(staged)) && (await isThere(place)))
      await moveDurably(place, staged);
    if (isAside) await moveDurably(aside, place);
  }
}

/** Files of SQLite beside a database. They belong to it alone and must never lie beside another. */
const SIDE_FILES = ["-wal", "-shm"];

/** {@link putInPlace} for a database, which was closed or whose process is dead. The staged one has no side files. */
export async function putDatabaseInPlace(item: SwapItem): Promise<void> {
  if (await isThere(item.staged)) {
    for (const suffix of SIDE_FILES)
      if (await isThere(item.place + suffix))
        await moveDurably(item.place + suffix, item.aside + suffix);
  }
  await putInPlace([item]);
}

/** {@link putBack} for a database. */
export async function putDatabaseBack(item: SwapItem): Promise<void> {
  // While the staged one is not back, what lies beside the database in place belongs to that one.
  if (!(await isThere(item.staged)))
    for (const suffix of SIDE_FILES)
      await rm(item.place + suffix, { force: true });
  await putBack([item]);
  for (const suffix of SIDE_FILES)
    if (await isThere(item.aside + suffix))
      await moveDurably(item.aside + suffix, item.place + suffix);
}
