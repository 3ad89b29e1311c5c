import { api } from "@gantry/ui-kit";
import type {
  NowAnswer,
  Preview,
  RestoreChoice,
  SettingsInput,
  State,
} from "../wire.ts";

export const STATE_PATH = "/api/backup";
export const SNAPSHOTS_PATH = "/api/backup/snapshots";

/** Saves the settings. Rejects with `BACKUP_FOLDER_INVALID` among others. */
export const saveSettings = (body: SettingsInput) =>
  api.put<State>(STATE_PATH, { body });

/** Makes a snapshot, and with `verify` restores it on trial. Resolves when all of it is done. */
export const backUpNow = (verify: boolean) =>
  api.post<NowAnswer>(`${STATE_PATH}/now`, { body: { verify } });

/** Restores a snapshot on trial. Resolves when that is done. */
export const proveSnapshot = (id: string, passphrase?: string) =>
  api.post<NowAnswer>(`${STATE_PATH}/now`, {
    body: { verify: true, id, passphrase },
  });

/** Deletes a snapshot. Rejects with `BACKUP_LAST_GOOD` for the newest good one without `confirm`. */
export const deleteSnapshot = (id: string, confirm: boolean) =>
  api.delete(`${SNAPSHOTS_PATH}/${encodeURIComponent(id)}`, {
    body: { confirm },
  });

/** Opens the folder of a snapshot in the file manager of the daemon's machine, if there is one. */
export const revealSnapshot = (id: string) =>
  api.post<{ path: string; opened: boolean }>(`${STATE_PATH}/reveal`, {
    body: { id },
  });

/** Tells what a restore would do. */
export async function previewRestore(
  choice: RestoreChoice,
  signal: AbortSignal,
): Promise<Preview> {
  const { preview } = await api.post<{ preview: Preview }>(
    `${STATE_PATH}/restore`,
    { body: { ...choice, preview: true }, signal },
  );
  return preview;
}

/** Restores. Resolves when it is done, or the daemon is about to restart for it. */
export const startRestore = (
  choice: RestoreChoice & { keepsSessions: boolean },
) =>
  api.post<{ ok: true; safetySnapshotId: string | null; restarts: boolean }>(
    `${STATE_PATH}/restore`,
    { body: choice },
  );
