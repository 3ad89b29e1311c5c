import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { WholeHome } from "@gantry/plugin";
import type { SnapshotReader } from "../archive/open-snapshot.ts";
import { codeOf } from "../archive/refusals.ts";
import { errors } from "../errors.ts";
import { parentsOf } from "./kept-paths.ts";

type Kind = "folder" | "file" | "nothing";

/**
 * Makes sure that parts can be merged into what is in the home: no file takes the place of a folder, and no folder that of anything
 * else.
 *
 * @param only Names of parts.
 * @throws BACKUP_PATH_TAKEN that names the first path where it is otherwise
 */
export async function refuseConflicts(
  reader: SnapshotReader,
  home: Pick<WholeHome, "data">,
  only: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const { id, files } = reader.manifest;
  if (!files.byPlugin.some(({ plugin }) => only.includes(plugin))) return;
  const folders = new Map<string, Kind>();
  const refuse = (path: string, isFolder: boolean) =>
    errors.BACKUP_PATH_TAKEN({
      ...{ id, path },
      kind: isFolder ? "a folder" : "a file",
      present: isFolder ? "a file" : "a folder",
    });

  async function expectFolder(path: string): Promise<void> {
    let kind = folders.get(path);
    if (kind === undefined)
      folders.set(path, (kind = await kindOf(join(home.data, path))));
    if (kind === "file") throw refuse(path, true);
  }

  for await (const entry of reader.files(signal)) {
    if (!only.includes(entry.plugin)) continue;
    const path = `${entry.plugin}/${entry.path}`;
    for (const folder of parentsOf(path)) await expectFolder(folder);
    if ("folder" in entry) await expectFolder(path);
    else if ((await kindOf(join(home.data, path))) === "folder")
      throw refuse(path, false);
  }
}

/** Links are files: nothing is restored through one. */
async function kindOf(path: string): Promise<Kind> {
  try {
    return (await lstat(path)).isDirectory() ? "folder" : "file";
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return "nothing";
    throw error;
  }
}
