import type { PrivateGit, PrivatePlaces } from "@gantry/git-kit";
import { MAX_TEXT_BYTES } from "../folder/text-files.ts";
import { parseFiles, type CommitFile } from "../repository/commit.ts";
import { splitFields } from "../repository/read-git.ts";
import {
  PATCH_ARGUMENTS,
  toPatch,
  type Patch,
} from "../repository/whole-patch.ts";
import { runPrivate } from "./run-private.ts";

const MAX_LISTED_BYTES = 32 * 1024 * 1024;
const NO_PROGRAMS = ["--no-ext-diff", "--no-textconv"];

/** Two snapshots of a folder. */
interface Snapshots {
  before: string;
  after: string;
}

/** A file in a snapshot. */
export interface KeptFile {
  /** As git has it: `100644`, `100755` or `120000`. */
  mode: string;
  /** Hash of its content. */
  hash: string;
}

/** A file that differs between two snapshots. */
export interface ChangedFile {
  /** One character for each byte. */
  path: string;
  before: KeptFile | undefined;
  after: KeptFile | undefined;
  /** Of the one before, if they are known. */
  permissions?: number | undefined;
}

/** Lists the files that differ, as the reading of a commit does, with renames found. */
export async function listFiles(
  git: PrivateGit,
  places: PrivatePlaces,
  { before, after }: Snapshots,
): Promise<CommitFile[]> {
  const listed = await runPrivate(
    git,
    atTop(places),
    "diff-tree",
    ["-r", "-z", "--raw", "--numstat", "-M", ...NO_PROGRAMS, before, after],
    { maxOutputBytes: MAX_LISTED_BYTES },
  );
  return parseFiles(splitFields(listed));
}

/** Lists the files that differ with what they are in both. */
export async function listChangedFiles(
  git: PrivateGit,
  places: PrivatePlaces,
  { before, after }: Snapshots,
): Promise<ChangedFile[]> {
  const listed = await runPrivate(
    git,
    atTop(places),
    "diff-tree",
    ["-r", "-z", "--raw", "--no-renames", "--no-abbrev", before, after],
    { maxOutputBytes: MAX_LISTED_BYTES },
  );
  const fields = splitFields(listed);
  const files: ChangedFile[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, ...values] =
      /^:(\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+) /.exec(fields[at]!) ?? [];
    const [oldMode = "", newMode = "", oldHash = "", newHash = ""] = values;
    files.push({
      path: fields[at + 1]!,
      before: toKeptFile(oldMode, oldHash),
      after: toKeptFile(newMode, newHash),
    });
  }
  return files;
}

function toKeptFile(mode: string, hash: string): KeptFile | undefined {
  return /^0*$/.test(mode) ? undefined : { mode, hash };
}

/** The patch between two snapshots. */
export async function readPatch(
  git: PrivateGit,
  places: PrivatePlaces,
  { before, after }: Snapshots,
): Promise<Patch> {
  const printed = await runPrivate(
    git,
    atTop(places),
    "diff-tree",
    ["-r", "-p", ...NO_PROGRAMS, ...PATCH_ARGUMENTS, before, after],
    { encoding: "utf8", maxOutputBytes: MAX_TEXT_BYTES },
  );
  return toPatch(printed);
}

/** The trees have paths from the folder on, wherever that is in the working tree. */
function atTop(places: PrivatePlaces): PrivatePlaces {
  return { ...places, folder: places.workTree };
}
