import {
  link,
  lstat,
  mkdir,
  readdir,
  readlink,
  symlink,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import type { WholeHome } from "@gantry/plugin";
import { linkOrCopy } from "@gantry/plugin/files";
import { findFiles, whyUnread } from "../archive/find-files.ts";
import type { SnapshotReader } from "../archive/open-snapshot.ts";
import { errors } from "../errors.ts";
import { listKept, TakenPaths } from "./kept-paths.ts";

/**
 * Puts what the snapshot could not hold into its stage as a second name of itself: the folders of the stage come in the place of
 * those of the home, and what no snapshot ever held would be lost. Where the snapshot has something itself, that is what stays.
 *
 * @throws BACKUP_RESTORE_FAILED for a folder that cannot be read and would be lost
 */
export async function keepInPlace(
  reader: SnapshotReader,
  home: WholeHome,
  stage: string,
  signal: AbortSignal,
): Promise<void> {
  const { manifest } = reader;
  const staged = new Set(manifest.files.byPlugin.map(({ plugin }) => plugin));
  const found = await findFiles({
    data: home.data,
    isSkipped: (plugin) => !staged.has(plugin),
    signal,
  });
  const { unsaved, conversations } = listKept(manifest, found);
  const kept = [...conversations, ...unsaved];
  if (kept.length === 0) return;
  const taken = new TakenPaths();
  for await (const entry of reader.files(signal)) taken.add(entry);
  for (const path of kept) {
    signal.throwIfAborted();
    if (!taken.has(path))
      await keep(join(home.data, path), join(stage, "data", path));
  }
}

async function keep(present: string, place: string): Promise<void> {
  const stats = await lstat(present).catch(() => undefined);
  if (!stats) return;
  await mkdir(dirname(place), { recursive: true, mode: 0o700 });
  if (stats.isSymbolicLink()) await symlink(await readlink(present), place);
  else if (stats.isFile()) await linkOrCopy(present, place);
  // A copy of a pipe would wait for one who writes.
  else if (!stats.isDirectory()) await link(present, place);
  else {
    const names = await readdir(present).catch((error: unknown) => {
      const reason = `The folder ${present} would be lost, since ${whyUnread(error)}; make it readable, or move it elsewhere.`;
      throw errors.BACKUP_RESTORE_FAILED({ reason }, { cause: error });
    });
    if (names.length === 0) await mkdir(place, { mode: stats.mode & 0o777 });
  }
}
