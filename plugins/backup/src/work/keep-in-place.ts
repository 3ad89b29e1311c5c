import type { Stats } from "node:fs";
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
import { flush, linkOrCopy } from "@gantry/plugin/files";
import { toDiskPath } from "../archive/disk-path.ts";
import { findFiles } from "../archive/find-files.ts";
import type { SnapshotReader } from "../archive/open-snapshot.ts";
import { codeOf, diskFull, FULL } from "../archive/refusals.ts";
import { foreseeTooMuch } from "../archive/too-much.ts";
import { errors } from "../errors.ts";
import { listKept, TakenPaths } from "./kept-paths.ts";

/** What the system answers for a path where nothing is. */
const GONE = new Set(["ENOENT", "ENOTDIR"]);

/** What stays at a restore, and where. */
export interface KeepOrder {
  reader: SnapshotReader;
  home: WholeHome;
  /** The folders in it come in the place of those of the home. */
  stage: string;
  /** What the safety snapshot did not hold, relative to the folder of all plugins; `undefined` without one. */
  unheld: readonly string[] | undefined;
  signal: AbortSignal;
}

/**
 * Puts what neither the snapshot nor the safety snapshot holds into the stage as a second name of itself, durably: it would be
 * lost with the folders that are replaced. Where the snapshot has something itself, that is what stays. To be called once no
 * plugin writes any more, or what comes later is lost.
 *
 * @throws BACKUP_RESTORE_FAILED for what cannot be kept
 */
export async function keepInPlace({
  reader,
  home,
  stage,
  unheld,
  signal,
}: KeepOrder): Promise<void> {
  const { manifest } = reader;
  const staged = new Set(manifest.files.byPlugin.map(({ plugin }) => plugin));
  const found = await findFiles({
    data: home.data,
    isSkipped: (plugin) => !staged.has(plugin),
    signal,
  });
  const { unsaved, conversations } = listKept(
    manifest,
    found,
    unheld ?? foreseeTooMuch(found),
  );
  const kept = [...new Set([...conversations, ...unsaved])].filter((path) =>
    staged.has(path.split("/", 1)[0]!),
  );
  if (kept.length === 0) return;
  const taken = new TakenPaths();
  for await (const entry of reader.files(signal)) taken.add(entry);
  const data = join(stage, "data");
  const changed = new Set<string>();
  for (const path of kept) {
    signal.throwIfAborted();
    if (taken.has(path)) continue;
    await keep(join(home.data, path), join(data, path));
    for (let at = dirname(path); at !== "."; at = dirname(at)) changed.add(at);
  }
  // The kernel has flushed the stage before.
  for (const folder of changed) await flush(toDiskPath(join(data, folder)));
}

async function keep(present: string, place: string): Promise<void> {
  const [from, to] = [toDiskPath(present), toDiskPath(place)];
  try {
    const stats = await statIfThere(from);
    if (!stats) return;
    await mkdir(toDiskPath(dirname(place)), { recursive: true, mode: 0o700 });
    await addName(from, stats, to);
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    if (FULL.has(code)) throw diskFull(dirname(place), undefined, error);
    const reason = `${present.toWellFormed()} would be lost, since it cannot be kept where it is (${code}); make it readable, or move it elsewhere.`;
    throw errors.BACKUP_RESTORE_FAILED({ reason }, { cause: error });
  }
}

async function addName(
  present: string | Buffer,
  stats: Stats,
  place: string | Buffer,
): Promise<void> {
  if (stats.isSymbolicLink())
    await symlink(await readlink(present, "buffer"), place);
  else if (stats.isFile()) await linkOrCopy(present, place);
  // A copy of a pipe would wait for one who writes.
  else if (!stats.isDirectory()) await link(present, place);
  else if ((await readdir(present, "buffer")).length === 0)
    await mkdir(place, { mode: stats.mode & 0o777 });
}

/** `undefined` only if it is sure that nothing is there. */
async function statIfThere(path: string | Buffer): Promise<Stats | undefined> {
  return await lstat(path).catch((error: unknown) => {
    if (GONE.has(codeOf(error) ?? "")) return undefined;
    throw error;
  });
}
