import { errors } from "../errors.ts";
import { showPath } from "../folder/folder-path.ts";
import type { CommitFile } from "../repository/commit.ts";
import { toPathBytes } from "../repository/path-text.ts";
import type { ChangedFile } from "./compare-snapshots.ts";

/** The files that paths name; of one that was renamed, both. @throws TURN_FILE_UNKNOWN */
export function selectFiles(
  all: readonly ChangedFile[],
  paths: readonly string[],
  renamed: readonly CommitFile[],
): ChangedFile[] {
  const selected = new Set<string>();
  for (const path of paths) {
    const bytes = toPathBytes(path);
    if (!all.some((file) => file.path === bytes))
      throw errors.TURN_FILE_UNKNOWN({ path: showPath(path) });
    selected.add(bytes);
    const from = renamed.find((file) => file.path === path)?.from;
    if (from) selected.add(toPathBytes(from));
  }
  return all.filter(({ path }) => selected.has(path));
}
