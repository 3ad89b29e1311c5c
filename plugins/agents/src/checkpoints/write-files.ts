import { randomBytes } from "node:crypto";
import {
  chmod,
  copyFile,
  lstat,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  unlink,
} from "node:fs/promises";
import { constants, type Stats } from "node:fs";
import { join as joinPaths } from "node:path";
import type { PrivateGit, PrivatePlaces } from "@gantry/git-kit";
import { isGantryError } from "@gantry/plugin";
import type { AgentFolder } from "../folder/agent-folder.ts";
import { showPath } from "../folder/folder-path.ts";
import { toWriteError } from "../folder/file-errors.ts";
import { errors } from "../errors.ts";
import { toPathText } from "../repository/path-text.ts";
import { inScratch } from "./keep-files.ts";
import { inParent, join } from "./open-parents.ts";
import { removeEmptyFolders, type PlannedFile } from "./plan-restore.ts";
import { runPrivate } from "./run-private.ts";

const ANY_EXECUTE = 0o111;

/**
 * Puts files back as they were planned: removes first, the deepest first, so that a file can take the place of a folder. Each file
 * is there whole or as it was. Folders that become empty stay.
 *
 * @throws FILE_CHANGED for one that changed since it was looked at, and what a path can be refused for
 */
export async function writeFiles(
  git: PrivateGit,
  places: PrivatePlaces,
  folder: AgentFolder,
  planned: readonly PlannedFile[],
): Promise<void> {
  const removed = planned.filter(({ action }) => action === "removed");
  const restored = planned.filter(({ action }) => action === "restored");
  await inScratch(places.repository, async (scratch) => {
    // Before anything is changed: a content that is missing leaves all as it is.
    await checkOut(git, places, scratch, restored);
    for (const { file, state } of removed.toReversed())
      await inPlace(folder, file.path, false, async (place) => {
        if (!place) return;
        await checkState(place, state.stats, file.path);
        await unlink(place);
      });
    for (const [index, each] of restored.entries())
      await inPlace(folder, each.file.path, true, (place) =>
        put(joinPaths(scratch, String(index)), place!, each),
      );
  });
}

/** Has git write contents into a folder of our own, called by their numbers. */
async function checkOut(
  git: PrivateGit,
  places: PrivatePlaces,
  scratch: string,
  files: readonly PlannedFile[],
): Promise<void> {
  if (files.length === 0) return;
  const own = {
    repository: places.repository,
    workTree: scratch,
    folder: scratch,
    index: `${scratch}.index`,
  };
  const lines = files.map(
    ({ file }, index) =>
      `${file.before!.mode} ${file.before!.hash}\t${index}\0`,
  );
  await runPrivate(git, own, "update-index", ["-z", "--index-info"], {
    input: lines.join(""),
  });
  await runPrivate(git, own, "checkout-index", ["--all", "--quiet"]);
}

async function put(
  source: string,
  place: Buffer,
  { file, state }: PlannedFile,
): Promise<void> {
  if (state.kind === "folder") await removeEmptyFolders(place);
  else await checkState(place, state.stats, file.path);
  const slash = place.lastIndexOf("/");
  const draft = join(
    place.subarray(0, slash),
    Buffer.from(`.gantry-${randomBytes(9).toString("base64url")}.tmp`),
  );
  try {
    if (file.before!.mode === "120000") {
      const target = await readlink(source, { encoding: "buffer" });
      await symlink(target, draft);
    } else {
      await copyFile(source, draft, constants.COPYFILE_EXCL);
      await chmod(draft, await modeOf(source, state.stats, file.permissions));
    }
    if (state.kind !== "folder")
      await checkState(place, state.stats, file.path);
    await rename(draft, place);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** The permissions of what was there, but for those to execute. */
async function modeOf(
  source: string,
  before: Stats | undefined,
  known: number | undefined,
): Promise<number> {
  const { mode } = await stat(source);
  if (!before?.isFile()) return known ?? mode & 0o777;
  const plain = before.mode & 0o777 & ~ANY_EXECUTE;
  const isProgram = (mode & ANY_EXECUTE) !== 0;
  // As git does it: who may read it may execute it.
  return isProgram ? plain | ((plain & 0o444) >> 2) : plain;
}

/** @throws FILE_CHANGED if it is not what was looked at */
async function checkState(
  place: Buffer,
  before: Stats | undefined,
  path: string,
): Promise<void> {
  const now = await lstat(place).catch(() => undefined);
  const isUnchanged =
    now?.ino === before?.ino &&
    now?.size === before?.size &&
    now?.mtimeMs === before?.mtimeMs &&
    now?.mode === before?.mode;
  if (!isUnchanged)
    throw errors.FILE_CHANGED({ path: showPath(toPathText(path)) });
}

async function inPlace(
  folder: AgentFolder,
  path: string,
  isMade: boolean,
  work: (place: Buffer | undefined) => Promise<void>,
): Promise<void> {
  try {
    await inParent(folder, path, isMade, (parent, name) =>
      work(parent && join(parent, name)),
    );
  } catch (error) {
    throw isGantryError(error) ? error : toWriteError(error, toPathText(path));
  }
}
