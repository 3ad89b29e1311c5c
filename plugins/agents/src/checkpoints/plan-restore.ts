import { readdir, rmdir } from "node:fs/promises";
import { isGantryError, type GantryError } from "@gantry/plugin";
import type { AgentFolder } from "../folder/agent-folder.ts";
import { showPath } from "../folder/folder-path.ts";
import { toFileError } from "../folder/file-errors.ts";
import { errors } from "../errors.ts";
import { toPathText } from "../repository/path-text.ts";
import type { ChangedFile } from "./compare-snapshots.ts";
import { isSame, readState, type FileState } from "./file-state.ts";
import { MAX_FILE_BYTES } from "./limits.ts";
import { inParent, join } from "./open-parents.ts";

/** Files that an error names. */
const MAX_NAMED = 5;

/** What a restore does to a file. */
export interface PlannedFile {
  file: ChangedFile;
  action: "restored" | "removed" | "unchanged";
  /** It is not as the turn left it. */
  changedSince: boolean;
  /** Why it cannot be written, even if it may be overwritten. */
  refusal: GantryError | undefined;
  state: FileState;
}

/** Compares files with what they were before and after a turn. Writes nothing. */
export async function planRestore(
  folder: AgentFolder,
  files: readonly ChangedFile[],
): Promise<PlannedFile[]> {
  const removed = new Set(
    files.filter(({ before }) => !before).map(({ path }) => path),
  );
  const planned: PlannedFile[] = [];
  for (const file of files) {
    const { state, refusal } = await lookAt(folder, file, removed);
    const isThere = state.kind === "file" || state.kind === "other";
    const isBlocked = refusal !== undefined;
    const isBefore = file.before
      ? isSame(state.kept, file.before)
      : !isThere && !isBlocked;
    const isAfter = file.after
      ? isSame(state.kept, file.after)
      : !isThere && !isBlocked;
    planned.push({
      file,
      action: isBefore ? "unchanged" : file.before ? "restored" : "removed",
      changedSince: !isAfter,
      refusal,
      state,
    });
  }
  return planned;
}

/** What is at a path, and why it cannot be written there: what is there would be lost, or a link leads elsewhere. */
async function lookAt(
  folder: AgentFolder,
  { path, before }: ChangedFile,
  removed: ReadonlySet<string>,
): Promise<Pick<PlannedFile, "state" | "refusal">> {
  const nothing = {
    state: { kind: "none", kept: undefined, stats: undefined },
    refusal: undefined,
  } as const;
  const values = { path: showPath(toPathText(path)) };
  try {
    return await inParent(folder, path, false, async (parent, name) => {
      if (!parent) return nothing;
      const place = join(parent, name);
      const state = await readState(place).catch((error: unknown) => {
        throw toFileError(error, toPathText(path));
      });
      const isFull =
        state.kind === "folder" &&
        before !== undefined &&
        (await holdsOthers(place, path, removed));
      if (isFull || state.kind === "other")
        return { state, refusal: errors.FILE_NOT_REGULAR(values) };
      const isTooLarge = state.kind === "file" && !state.kept;
      const limit = `${MAX_FILE_BYTES / 1024 / 1024} MiB`;
      const refusal = isTooLarge
        ? errors.FILE_TOO_LARGE({ ...values, limit })
        : undefined;
      return { state, refusal };
    });
  } catch (error) {
    if (!isGantryError(error) || error.code !== "PATH_OUTSIDE") throw error;
    const parts = path.split("/");
    // The turn made a link or a file of a folder, which is removed first.
    const isFreed = parts.some((_, end) =>
      removed.has(parts.slice(0, end).join("/")),
    );
    const isWritten = before !== undefined && !isFreed;
    return isWritten ? { ...nothing, refusal: error } : nothing;
  }
}

/** Whether a folder has anything but folders, and files that are to be removed. */
async function holdsOthers(
  place: Buffer,
  path: string,
  removed: ReadonlySet<string>,
): Promise<boolean> {
  const entries = await readdir(place, {
    encoding: "buffer",
    withFileTypes: true,
  });
  for (const entry of entries) {
    const below = `${path}/${entry.name.toString("latin1")}`;
    const isOther = entry.isDirectory()
      ? await holdsOthers(join(place, entry.name), below, removed)
      : !removed.has(below);
    if (isOther) return true;
  }
  return false;
}

/** Removes a folder that has nothing but folders in it. */
export async function removeEmptyFolders(place: Buffer): Promise<void> {
  const entries = await readdir(place, {
    encoding: "buffer",
    withFileTypes: true,
  });
  for (const entry of entries)
    if (entry.isDirectory()) await removeEmptyFolders(join(place, entry.name));
  await rmdir(place);
}

/**
 * @throws FILES_CHANGED_SINCE if a file that is to be written is not as the turn left it and may not be overwritten, and why one
 *   cannot be written
 */
export function checkPlan(
  planned: readonly PlannedFile[],
  mayOverwrite: boolean,
): void {
  const written = planned.filter(({ action }) => action !== "unchanged");
  for (const { refusal } of written) if (refusal) throw refusal;
  const changed = written.filter(({ changedSince }) => changedSince);
  if (changed.length === 0 || mayOverwrite) return;
  const names = changed
    .slice(0, MAX_NAMED)
    .map(({ file }) => showPath(toPathText(file.path)));
  const more = changed.length - names.length;
  throw errors.FILES_CHANGED_SINCE({
    paths: `${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}`,
  });
}
