import { isGantryError } from "@gantry/plugin";
import { openSnapshot, type SnapshotReader } from "../archive/open-snapshot.ts";
import type { Snapshot } from "../contract.ts";
import { errors } from "../errors.ts";
import type { KeyRing } from "../keys/key-ring.ts";

/** A snapshot that is to be read. */
export interface ReadingOrder {
  snapshot: Pick<Snapshot, "id" | "path">;
  /** The backup folder that it is in. */
  folder: string;
  keys: KeyRing;
  passphrase: string | undefined;
  /** Gives it up while other passphrases are tried. */
  signal?: AbortSignal;
}

/**
 * Opens a snapshot for reading, with the passphrase if one is given, else with the key that is on this machine. A key that the
 * passphrase opened is kept on this machine.
 *
 * @throws BACKUP_PASSPHRASE_MISSING, BACKUP_PASSPHRASE_WRONG, and what opening a snapshot throws
 */
export async function openForReading(
  order: ReadingOrder,
): Promise<SnapshotReader> {
  const { snapshot, keys, passphrase } = order;
  const reader = await openSnapshot(snapshot.path);
  const { isEncrypted, recipient } = reader.manifest;
  if (!isEncrypted || recipient === null) return reader;
  if (passphrase !== undefined)
    return await openByPassphrase(order, passphrase);
  const identity = await keys.find(recipient);
  if (identity === undefined)
    throw errors.BACKUP_PASSPHRASE_MISSING({ id: snapshot.id });
  return await openSnapshot(snapshot.path, { identity });
}

async function openByPassphrase(
  { snapshot: { id, path }, folder, keys, signal }: ReadingOrder,
  passphrase: string,
): Promise<SnapshotReader> {
  const key = await keys
    .open(folder, passphrase, signal)
    .catch((error: unknown) => {
      // It names the key's file, which says nothing to who gave a passphrase for a snapshot.
      if (isGantryError(error) && error.code === "BACKUP_PASSPHRASE_WRONG")
        throw errors.BACKUP_PASSPHRASE_WRONG({ id }, { cause: error });
      throw error;
    });
  if (!key) {
    const reason = `the key of encrypted snapshots is missing in ${folder}`;
    throw errors.BACKUP_SNAPSHOT_CORRUPT({ id, reason });
  }
  const reader = await openSnapshot(path, { identity: key.identity });
  await keys.keep(key, folder);
  return reader;
}
