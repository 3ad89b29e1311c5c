import { mkdir, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { flush } from "@gantry/plugin/files";
import { SIDE_FILES } from "@gantry/store/sqlite-driver";
import { statIfThere } from "@gantry/system/home/if-there";

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
    if (!(await statIfThere(staged))) continue;
    if (await statIfThere(place)) await moveDurably(place, aside);
    await moveDurably(staged, place);
  }
}

/** Takes back what {@link putInPlace} did, all of it or a part. May be called again after an interruption. */
export async function putBack(items: readonly SwapItem[]): Promise<void> {
  for (const { staged, place, aside } of [...items].reverse()) {
    const isAside = await statIfThere(aside);
    if (!(await statIfThere(staged)) && (await statIfThere(place)))
      await moveDurably(place, staged);
    if (isAside) await moveDurably(aside, place);
  }
}

/** A database that no process has open, and where it is kept if another one takes its place. */
type Database = Pick<SwapItem, "place" | "aside">;

/** Moves a database away. */
export async function moveDatabaseAside({
  place,
  aside,
}: Database): Promise<void> {
  for (const suffix of [...SIDE_FILES, ""])
    if (await statIfThere(place + suffix))
      await moveDurably(place + suffix, aside + suffix);
}

/** Brings a database back that was moved away, all of it or a part, in the place of the one that is there. May be called again. */
export async function putDatabaseBack({
  place,
  aside,
}: Database): Promise<void> {
  if (await statIfThere(aside)) {
    for (const suffix of SIDE_FILES) await rm(place + suffix, { force: true });
    await moveDurably(aside, place);
  }
  for (const suffix of SIDE_FILES)
    if (await statIfThere(aside + suffix))
      await moveDurably(aside + suffix, place + suffix);
}

/** Renames something into another folder, which is made if there is none, and brings that to the disk. */
async function moveDurably(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  await rename(from, to);
  await flush(dirname(to));
  await flush(dirname(from));
}
