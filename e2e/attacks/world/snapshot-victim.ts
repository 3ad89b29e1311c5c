import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import type { ApiClient } from "../../support/api-client.ts";
import { waitForOne } from "./wait-for-one.ts";

/** A snapshot that is there to be hit. */
export interface SnapshotVictim {
  readonly id: string;
  /** Where it is. */
  readonly path: string;
  /** A symbolic link to a folder that could hold snapshots. */
  readonly link: string;
}

interface SnapshotItem {
  id: string;
  path: string;
}

/**
 * Chooses a folder for snapshots, which gets its first one by itself, and the next a month later.
 *
 * @param folder Where the folder for snapshots is made, beside the home.
 */
export async function makeSnapshotVictim(
  api: ApiClient,
  folder: string,
): Promise<SnapshotVictim> {
  const linked = join(folder, "linked");
  const link = join(folder, "link");
  await mkdir(linked);
  await symlink(linked, link);
  const settings = { folder: join(folder, "backups"), everyMinutes: 43_200 };
  const saved = await api.call("PUT", "/api/backup", settings);
  if (saved.status !== 200) throw new Error(JSON.stringify(saved));
  const { id, path } = await waitForOne<SnapshotItem>(
    api,
    "/api/backup/snapshots",
  );
  return { id, path, link };
}
