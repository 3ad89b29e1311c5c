import { isGantryError } from "@gantry/plugin";
import type { ProvenFiles } from "../archive/proven-files.ts";
import { errors } from "../errors.ts";
import type { Snapshot } from "../contract.ts";
import type { SnapshotOrder } from "./make-snapshot.ts";
import type { SafetySnapshot } from "./restore-snapshot.ts";
import { openForReading, type ReadingOrder } from "./open-for-reading.ts";

type OnLeftOut = NonNullable<SnapshotOrder["onLeftOut"]>;

/** How the snapshot is made that undoes a restore. */
export interface SafetyOrder extends Omit<
  ReadingOrder,
  "snapshot" | "passphrase"
> {
  /** @param rewrites Writes all content again, also what is there already. */
  make(rewrites: boolean, onLeftOut: OnLeftOut): Promise<Snapshot>;
  /** Records that one was found damaged. */
  onDamaged(snapshot: Snapshot, error: unknown): Promise<void>;
  /** What the restore has read, whose content on disk the snapshot may share. */
  proven: ProvenFiles;
  signal: AbortSignal;
}

/**
 * Makes the snapshot that undoes a restore, and reads all of it back that the restore has not just read. It shares content with earlier ones; if some of that is
 * damaged, a second one writes all of it again.
 *
 * @throws BACKUP_RESTORE_FAILED if it cannot be proven, and what `make` does
 */
export async function makeProvenSnapshot(
  order: SafetyOrder,
): Promise<SafetySnapshot> {
  let leftOut: readonly string[] = [];
  const onLeftOut: OnLeftOut = (paths) => (leftOut = paths);
  const first = await order.make(false, onLeftOut);
  const damage = await findDamage(order, first);
  if (damage === undefined) return { id: first.id, leftOut };
  await order.onDamaged(first, damage);
  const second = await order.make(true, onLeftOut);
  const failure = await findDamage(order, second);
  if (failure === undefined) return { id: second.id, leftOut };
  await order.onDamaged(second, failure);
  const reason = `The snapshot of what is there could not be read back, so that nothing could undo the restore: ${failure.message}`;
  throw errors.BACKUP_RESTORE_FAILED({ reason }, { cause: failure });
}

/** What is wrong with a snapshot; `undefined` if all of it is as it was written. */
async function findDamage(
  { keys, folder, proven, signal }: SafetyOrder,
  snapshot: Snapshot,
): Promise<Error | undefined> {
  try {
    const reading = { snapshot, folder, keys, passphrase: undefined };
    await (await openForReading(reading)).check(signal, proven);
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (isGantryError(error)) return error;
    throw error;
  }
}
