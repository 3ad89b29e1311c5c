import { realpath } from "node:fs/promises";
import type { Git } from "@gantry/git-kit";
import { toVisibleText } from "@gantry/plugin";
import type { SnapshotPlace } from "./snapshot-store.ts";

/**
 * Finds where an agent works, or why its repository is not read; `undefined` in none.
 *
 * @param cwd The agent's folder.
 */
export async function findPlace(
  git: Git,
  cwd: string,
): Promise<SnapshotPlace | { refusal: string } | undefined> {
  const folder = await realpath(cwd);
  const root = await git.root(folder);
  if (root !== undefined) return { root, folder };
  const reason = await git.refusal(folder);
  return reason === undefined
    ? undefined
    : {
        refusal: toVisibleText(
          `There is a repository, and what a turn changes in it is not kept. ${reason}`,
        ),
      };
}
