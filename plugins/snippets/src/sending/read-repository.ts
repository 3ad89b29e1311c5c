import { basename } from "node:path";
import type { Git } from "@gantry/git-kit";
import { isGantryError } from "@gantry/plugin";

/** What is known of the repository that a folder is in. */
export interface Repository {
  /** Name of its top folder. */
  name: string;
  /** The branch that is checked out; `null` if it is none. */
  branch: string | null;
}

/**
 * The repository that a folder is in; `null` if it is in none, or git is missing or takes too long: a snippet that does
 * not need to know is sent all the same.
 */
export async function readRepository(
  git: Git,
  folder: string,
  signal: AbortSignal,
): Promise<Repository | null> {
  try {
    const root = await git.root(folder);
    if (root === undefined) return null;
    const branch = await git.branch(root);
    signal.throwIfAborted();
    // Of a detached HEAD there is none, and a branch before its first commit is one too.
    const isBranch = branch !== undefined && !/\p{Cc}/u.test(branch);
    return { name: basename(root) || root, branch: isBranch ? branch : null };
  } catch (error) {
    if (isGantryError(error)) return null;
    throw error;
  }
}
