import { rename } from "node:fs/promises";
import { join } from "node:path";
import { linkWhole } from "./link-whole.ts";
import type { Manifest } from "./manifest.ts";

/** A snapshot and what it says of its files. */
export interface ListedFiles {
  /** Folder of the snapshot. */
  path: string;
  files: Pick<Manifest["files"], "list" | "pieceList">;
}

/**
 * Puts the lists of the last snapshot in the place of equal ones that were just written, as second names: with many files that do
 * not change, lists are most of what a snapshot takes.
 *
 * @returns the lists that are not shared
 */
export async function shareLists(
  { path, files }: ListedFiles,
  last: ListedFiles | undefined,
): Promise<ListedFiles["files"]["pieceList"][]> {
  const added = [];
  for (const kind of ["list", "pieceList"] as const) {
    const written = files[kind];
    const earlier = last?.files[kind];
    const place = join(path, written.name);
    const link = `${place}.shared`;
    const isShared =
      last !== undefined &&
      earlier?.sha256 === written.sha256 &&
      (await linkWhole(join(last.path, earlier.name), link, written));
    if (isShared) await rename(link, place);
    else added.push(written);
  }
  return added;
}
