import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import type { ApiClient } from "../../support/api-client.ts";

/** A snapshot that is there to be hit. */
export interface SnapshotVictim {
  readonly id: string;
  /** Where it is. */
  readonly path: string;
  /** A symbolic link to a folder that could hold snapshots. */
  readonly link: string;
}

interface NowAnswer {
  snapshot: { id: string; path: string };
  code?: string;
}

/**
 * Chooses a folder for snapshots and makes the only one that there will be.
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
  const made = await api.call<NowAnswer>("POST", "/api/backup/now", {});
  if (made.status !== 200) throw new Error(JSON.stringify(made));
  const { id, path } = made.body.snapshot;
  return { id, path, link };
}
