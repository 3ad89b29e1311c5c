import { lstat } from "node:fs/promises";
import type { Git } from "@gantry/git-kit";
import { showPath } from "../folder/folder-path.ts";
import { parseFiles } from "./commit.ts";
import type { FileChange } from "./parse-status.ts";
import { toPathText, type GitPath } from "./path-text.ts";
import { isRead, splitFields } from "./read-git.ts";
import { readWholePatch, type Patch } from "./whole-patch.ts";

/** Largest file that is new to git of which all lines are given, in bytes. */
export const MAX_NEW_BYTES = 512 * 1024;
/** Files that are new to git whose lines are given together; others are given one by one. */
const MAX_TOGETHER = 500;
const MAX_LISTED_BYTES = 4 * 1024 * 1024;

/** Files that are new to git, as far as their lines are read together. */
interface NewFiles {
  paths: GitPath[];
  /** What was left out, and why. */
  notices: string[];
}

/** Lists the files below a folder that git does not know and would take up. */
async function listNewFiles(git: Git, root: string): Promise<NewFiles> {
  const listed = await git(
    root,
    "ls-files",
    ["--others", "--exclude-standard", "-z"],
    { encoding: "latin1", maxOutputBytes: MAX_LISTED_BYTES },
  );
  // A folder alone is a repository of its own.
  const names = splitFields(listed).filter((name) => !name.endsWith("/"));
  const files: NewFiles = { paths: [], notices: [] };
  for (const name of names.slice(0, MAX_TOGETHER)) {
    const bytes = Buffer.from(name, "latin1");
    const place = Buffer.concat([Buffer.from(`${root}/`), bytes]);
    const stats = await lstat(place).catch(() => undefined);
    if (stats?.isFile() && stats.size > MAX_NEW_BYTES)
      files.notices.push(
        `${showPath(toPathText(name))} is new and larger than ${MAX_NEW_BYTES / 1024} KiB, so its lines are not shown.`,
      );
    else if (stats) files.paths.push(bytes);
  }
  const left = names.length - MAX_TOGETHER;
  if (left > 0 || listed.truncated)
    files.notices.push(
      `Only ${MAX_TOGETHER} of the files that are new to git are shown here; choose one to see it.`,
    );
  return files;
}

/**
 * The patch that adds all files below a folder that git does not know.
 *
 * @param args Options of `git diff`.
 * @param maxOutputBytes It is cut here.
 */
export async function readNewFiles(
  git: Git,
  root: string,
  args: readonly string[],
  maxOutputBytes: number,
): Promise<Patch> {
  const { paths, notices } = await listNewFiles(git, root);
  const truncated = notices.length > 0;
  if (paths.length === 0) return { patch: "", truncated, notices };
  const patch = await readWholePatch(
    (some, options) => git.newFilesPatch(root, some ?? paths, args, options),
    async () => paths,
    maxOutputBytes,
  );
  return {
    patch: patch.patch,
    truncated: patch.truncated || truncated,
    notices: [...notices, ...patch.notices],
  };
}

/** Counts of the lines of changes by their path. */
export type LineCounts = ReadonlyMap<
  string,
  Pick<FileChange, "additions" | "deletions">
>;

/**
 * Counts the lines that were added and removed in a folder since a commit, in new files too. What git cannot count, such as
 * files that a partial clone lacks, is left out.
 */
export async function countLines(
  git: Git,
  root: string,
  since: string,
): Promise<LineCounts> {
  const args = ["--raw", "--numstat", "-z", "--relative"];
  const options = {
    encoding: "latin1",
    maxOutputBytes: MAX_LISTED_BYTES,
  } as const;
  const { paths } = await listNewFiles(git, root);
  const results = [
    await git(root, "diff", [...args, "-M", since], options),
    ...(paths.length > 0
      ? [await git.newFilesPatch(root, paths, args, options)]
      : []),
  ];
  return new Map(
    results
      .filter(isRead)
      .flatMap((result) => parseFiles(splitFields(result)))
      .map(({ path, additions, deletions }) => [
        path,
        { additions, deletions },
      ]),
  );
}
