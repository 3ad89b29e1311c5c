import { createIdentifier, type Clock, type WholeHome } from "@gantry/plugin";
import { backupFolder } from "../archive/backup-folder.ts";
import type { Manifest } from "../archive/manifest.ts";
import type { Progress } from "../archive/progress.ts";
import {
  writeSnapshot,
  type SnapshotRequest,
} from "../archive/write-snapshot.ts";
import type { Snapshot } from "../contract.ts";
import { errors } from "../errors.ts";
import { ensureEarlierKey, ensureKey } from "../keys/ensure-key.ts";
import type { KeyRing } from "../keys/key-ring.ts";
import type { HomeIdentity } from "../settings/home-identity.ts";
import type { StoredSettings } from "../settings/backup-record.ts";

/** What a snapshot is made of, and where. */
export interface SnapshotOrder {
  home: WholeHome;
  settings: StoredSettings;
  keys: KeyRing;
  identity: HomeIdentity;
  clock: Pick<Clock, "timestamp">;
  reason: Snapshot["reason"];
  /** Copies conversations, whatever the settings say. */
  needsConversations?: boolean | undefined;
  /** Writes all content again, also what is there already. */
  rewrites: boolean;
  signal: AbortSignal;
  onProgress(progress: Progress): void;
  onLeftOut?: SnapshotRequest["onLeftOut"];
}

/**
 * Makes a snapshot in the chosen folder.
 *
 * @throws BACKUP_FOLDER_MISSING, BACKUP_FOLDER_UNAVAILABLE, BACKUP_DISK_FULL, BACKUP_SECRETS_PLAIN, what reading the store throws,
 *   and the signal's reason; nothing of it is left then
 */
export async function makeSnapshot(order: SnapshotOrder): Promise<Manifest> {
  const { settings, keys, identity, clock, needsConversations, ...rest } =
    order;
  const { folder, recipient, includeSecrets } = settings;
  const createdAt = clock.timestamp();
  if (folder === null) throw errors.BACKUP_FOLDER_MISSING();
  await backupFolder(folder);
  if (recipient !== null) await ensureKey(keys, folder, recipient);
  else await ensureEarlierKey(keys, folder);
  const secretKey =
    recipient === null
      ? undefined
      : // A snapshot can be made without it.
        await keys.find(recipient).catch(() => undefined);
  return await writeSnapshot({
    ...rest,
    folder,
    madeBy: await identity.mark(),
    id: createIdentifier("snap"),
    createdAt,
    includeTranscripts: needsConversations || settings.includeTranscripts,
    includeSecrets,
    recipient: recipient ?? undefined,
    identity: secretKey,
  });
}
