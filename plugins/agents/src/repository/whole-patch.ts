import type { GitOptions, GitResult } from "@gantry/git-kit";
import { showPath } from "../folder/folder-path.ts";
import { toPathText, type GitPath } from "./path-text.ts";
import { isRead, toGitError, toNotices } from "./read-git.ts";

/** Largest patch that is given, in bytes. */
export const MAX_PATCH_BYTES = 4 * 1024 * 1024;
/** Files that are read each for itself, if all at once cannot be read. */
const MAX_SINGLE = 100;

/** Files that a notice names. */
const MAX_NAMED = 10;
const NOT_IN_CLONE =
  "not in this clone, which is partial or damaged, and nothing is fetched from here; run `git fetch` or `git show` in its folder to get it.";

/** Changes in the form that git prints them. */
export interface Patch {
  patch: string;
  /** Whether a part is missing: its end was cut off, or a notice says why. */
  truncated: boolean;
  /** What could not be read, and why. */
  notices: string[];
}

/** A patch in git's default format, whatever the settings of the repository say. */
export const PATCH_ARGUMENTS = toPatchArguments("");

/** @param prefix Path of the repository from the agent's folder on, with a slash at its end. */
export function toPatchArguments(prefix: string): string[] {
  return [
    "--relative",
    "--no-color",
    `--src-prefix=a/${prefix}`,
    `--dst-prefix=b/${prefix}`,
    "--submodule=short",
    "-U3",
    "-M",
  ];
}

/** What git printed, cut after a whole line. */
export function toPatch({ stdout, stderr, truncated }: GitResult): Patch {
  const patch = truncated
    ? stdout.slice(0, stdout.lastIndexOf("\n") + 1)
    : stdout;
  return { patch, truncated, notices: toNotices(stderr) };
}

/** Prints a patch, of all files or of some paths. */
export type PrintPatch = (
  paths: GitPath[] | undefined,
  options: GitOptions,
) => Promise<GitResult>;

/**
 * Reads the patch of all files. If git fails over one of them, each is read for itself, so that the others are told.
 *
 * @param list Paths of all files, for that case.
 */
export async function readWholePatch(
  print: PrintPatch,
  list: () => Promise<GitPath[]>,
  maxOutputBytes = MAX_PATCH_BYTES,
): Promise<Patch> {
  const result = await print(undefined, { maxOutputBytes });
  if (isRead(result)) return toPatch(result);
  const whole: Patch = { patch: "", truncated: true, notices: [] };
  const paths = await list();
  if (paths.length === 0) throw toGitError("diff", result);
  // Files that cannot be read, by the reason.
  const failed = new Map<string, string[]>();
  for (const path of paths.slice(0, MAX_SINGLE)) {
    const left = maxOutputBytes - whole.patch.length;
    if (left <= 0) break;
    const single = await print([path], { maxOutputBytes: left });
    const { patch, notices } = toPatch(single);
    if (isRead(single)) {
      whole.patch += patch;
      whole.notices.push(...notices);
      continue;
    }
    // What git printed before it failed may be half a file.
    const { code, message } = toGitError("diff", single);
    const reason = code === "GIT_OBJECT_MISSING" ? NOT_IN_CLONE : message;
    const name = showPath(toPathText(Buffer.from(path).toString("latin1")));
    failed.set(reason, [...(failed.get(reason) ?? []), name]);
  }
  for (const [reason, names] of failed) {
    const more = names.length > MAX_NAMED ? ", …" : "";
    whole.notices.push(
      `${names.slice(0, MAX_NAMED).join(", ")}${more}: ${reason}`,
    );
  }
  if (paths.length > MAX_SINGLE)
    whole.notices.push(
      `Only ${MAX_SINGLE} of ${paths.length} files were read, each for itself.`,
    );
  return whole;
}
