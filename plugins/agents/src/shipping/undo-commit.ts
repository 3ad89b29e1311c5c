import type { Git } from "@gantry/git-kit";
import { errors } from "../errors.ts";
import { readGit } from "../repository/read-git.ts";
import { toWriteError } from "./to-write-error.ts";
import { findUnderway, type Underway } from "./underway.ts";

/** The last commit of what is checked out. */
interface LastCommit {
  hash: string;
  subject: string;
  message: string;
}

/** The last commit, and why it cannot be taken back, if so. */
export async function readLastCommit(
  git: Git,
  root: string,
  hash: string,
  underway: Underway | null,
): Promise<{ commit: LastCommit; fault: string | undefined }> {
  const { stdout } = await readGit(git, root, "log", [
    "--no-walk",
    "--format=%P%x00%s%x00%B",
    hash,
  ]);
  const [parents = "", subject = "", ...message] = stdout.split("\0");
  const commit = { hash, subject, message: message.join("\0").trim() };
  const count = parents.split(" ").filter(Boolean).length;
  const fault =
    underway === null
      ? await findFault(git, root, hash, count)
      : `A ${underway} is underway; end or abort that first.`;
  return { commit, fault };
}

async function findFault(
  git: Git,
  root: string,
  hash: string,
  parents: number,
): Promise<string | undefined> {
  if (parents === 0)
    return "It is the first commit of the repository; change it with git commit --amend.";
  if (parents > 1)
    return "It is a merge; take it back with git reset in a terminal.";
  const { stdout } = await readGit(git, root, "for-each-ref", [
    "--count=1",
    "--format=%(refname:strip=2)",
    `--contains=${hash}`,
    "refs/remotes",
  ]);
  const remote = stdout.trim();
  return remote === ""
    ? undefined
    : `${remote} has it already, so others may build on it; undo it with a new commit (git revert).`;
}

/**
 * Takes the last commit back; what it changed stays, staged.
 *
 * @param hash The commit that is to be the last one.
 * @returns its message
 * @throws GIT_UNDO_IMPOSSIBLE, GIT_BUSY, GIT_WRITE_FAILED
 */
export async function undoCommit(
  git: Git,
  root: string,
  hash: string,
): Promise<string> {
  if ((await git.resolve(root, "HEAD")) !== hash)
    throw errors.GIT_UNDO_IMPOSSIBLE({
      reason: "It is not the last commit any more; look at the history again.",
    });
  const underway = await findUnderway(git, root);
  const last = await readLastCommit(git, root, hash, underway);
  if (last.fault !== undefined)
    throw errors.GIT_UNDO_IMPOSSIBLE({ reason: last.fault });
  // Only if it still is the last one.
  const result = await git.write(
    root,
    "update-ref",
    ["-m", "reset: moving to HEAD~1", "HEAD", `${hash}~1`, hash],
    { programs: false },
  );
  if (result.code !== 0)
    throw toWriteError({ command: "update-ref", programs: false }, result);
  return last.commit.message;
}
