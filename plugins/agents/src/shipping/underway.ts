import { access } from "node:fs/promises";
import { resolve } from "node:path";
import type { Git } from "@gantry/git-kit";
import { readGit } from "../repository/read-git.ts";

/** What git has begun and not ended, by the file that it keeps for it. */
const FILES = {
  MERGE_HEAD: "merge",
  REBASE_HEAD: "rebase",
  CHERRY_PICK_HEAD: "cherry-pick",
  REVERT_HEAD: "revert",
} as const;

export const UNDERWAY = Object.values(FILES);

export type Underway = (typeof UNDERWAY)[number];

/** What is underway in a repository, which the next commit ends or continues. */
export async function findUnderway(
  git: Git,
  root: string,
): Promise<Underway | null> {
  const { stdout } = await readGit(
    git,
    root,
    "rev-parse",
    Object.keys(FILES).flatMap((name) => ["--git-path", name]),
  );
  const paths = stdout.split("\n");
  const found = await Promise.all(
    UNDERWAY.map((kind, index) =>
      access(resolve(root, paths[index] ?? "")).then(
        () => kind,
        () => undefined,
      ),
    ),
  );
  return found.find((kind) => kind !== undefined) ?? null;
}
