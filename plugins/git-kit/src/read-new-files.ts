import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { GitCaller } from "./call-git.ts";
import type { GitOptions, GitResult } from "./git.ts";
import type { GitView } from "./git-views.ts";

/**
 * Prints the patch of files that git does not know: adds the paths to an index of its own, which git then compares with the
 * files. Objects that this makes are put beside that index.
 *
 * @param own An empty folder.
 * @param args The call of `git diff`.
 */
export async function readNewFiles(
  { attempt, call }: GitCaller,
  view: GitView,
  own: string,
  folder: string,
  paths: readonly (string | Uint8Array)[],
  args: readonly string[],
  options: GitOptions,
): Promise<GitResult> {
  const objects = join(own, "objects");
  await mkdir(objects, { mode: 0o700 });
  const variables = {
    GIT_INDEX_FILE: join(own, "index"),
    GIT_OBJECT_DIRECTORY: objects,
  };
  const { signal } = options;
  const added = await attempt(
    folder,
    ["add", "--intent-to-add", "--force"],
    view,
    { paths, ...(signal ? { signal } : {}) },
    // A file may be outside of what is checked out.
    { variables, settings: { "core.sparseCheckout": "false" } },
  );
  return added.code === 0
    ? await call(folder, args, view, options, { variables })
    : added;
}
