import type { Git, PrivateGit, PrivatePlaces } from "@gantry/git-kit";
import { isGantryError } from "@gantry/plugin";
import { readAll, splitFields } from "../repository/read-git.ts";
import { NoCheckpoint } from "./no-checkpoint.ts";
import { MAX_FILES } from "./limits.ts";
import { runPrivate } from "./run-private.ts";

const MAX_LIST_BYTES = 32 * 1024 * 1024;

/** What is not as the index has it; paths have one character for each byte. */
export interface FileChanges {
  /** Files that may be there. */
  present: string[];
  /** Those of them that are in the index. */
  known: Set<string>;
  gone: string[];
  /** Those that are ignored, but are in the user's repository. */
  forced: string[];
}

/** Dependencies of {@link listChanges}. */
export interface ListChangesHost {
  git: Git;
  privateGit: PrivateGit;
  places: PrivatePlaces;
  signal: AbortSignal;
  /** Files to be looked at in any case. */
  also: readonly string[];
  /** A folder that is passed over. */
  excluded: string | undefined;
  /** Files that were listed as forced before. */
  forced: ReadonlySet<string>;
  /** Whether there are no others: nothing has changed that decides of it. */
  areForcedKnown: boolean;
  /** New files that there may be. */
  maxNew: number;
}

/** Compares a folder with the index of a private repository. @throws NoCheckpoint for too many files */
export async function listChanges(host: ListChangesHost): Promise<FileChanges> {
  const { git, privateGit, places, signal, excluded } = host;
  const options = { signal, maxOutputBytes: MAX_LIST_BYTES };
  const list = (command: "ls-files" | "diff-files", args: string[]) =>
    runPrivate(privateGit, places, command, ["-z", ...args], options);
  const [others, differing, tracked] = await readAll([
    list("ls-files", ["--others", "--exclude-standard"]),
    list("diff-files", ["--name-status", "--relative", "--no-renames"]),
    host.areForcedKnown
      ? Promise.resolve([])
      : listTrackedIgnored(git, places.folder, options),
  ]);
  const isOurs = (path: string) =>
    excluded === undefined ||
    (path !== excluded && !path.startsWith(`${excluded}/`));
  // A repository of its own is listed with a slash at its end.
  const added = splitFields(others).filter((path) => !path.endsWith("/"));
  const forced = tracked.filter((path) => !host.forced.has(path));
  const isCut = others.truncated || differing.truncated;
  if (isCut || added.length + forced.length > host.maxNew)
    throw new NoCheckpoint(
      `The folder has more than ${MAX_FILES} files that git does not ignore, so what a turn changes is not kept.`,
    );
  const fields = splitFields(differing);
  const known = new Set<string>();
  const gone: string[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const path = fields[at + 1]!;
    if (fields[at] === "D") gone.push(path);
    else known.add(path);
  }
  const present = new Set([...added, ...forced, ...host.also, ...known]);
  for (const path of gone) present.delete(path);
  return { present: [...present].filter(isOurs), known, gone, forced };
}

/** Files that the user's repository has although they are ignored. None if it cannot be read. */
async function listTrackedIgnored(
  git: Git,
  folder: string,
  options: { signal: AbortSignal; maxOutputBytes: number },
): Promise<string[]> {
  try {
    const listed = await git(
      folder,
      "ls-files",
      ["-z", "--cached", "--ignored", "--exclude-standard"],
      { ...options, encoding: "latin1" },
    );
    return listed.code === 0 ? splitFields(listed) : [];
  } catch (error) {
    if (!isGantryError(error)) throw error;
    return [];
  }
}
