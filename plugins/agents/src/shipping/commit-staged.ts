import type { Git } from "@gantry/git-kit";
import { errors } from "../errors.ts";
import type { AgentFolder } from "../folder/agent-folder.ts";
import { readGit } from "../repository/read-git.ts";
import { findUnderway } from "./underway.ts";
import { toOutput, toWriteError } from "./to-write-error.ts";

/** Hooks may run a repository's tests. */
export const COMMIT_DEADLINE_MS = 15 * 60_000;
const MAX_OUTPUT_BYTES = 256 * 1024;

/** A commit that was made. */
export interface MadeCommit {
  hash: string;
  subject: string;
  /** What hooks said. */
  output: string;
}

/**
 * Commits what is staged.
 *
 * @param programs Whether hooks run, and the commit is signed if the user's settings say so.
 * @throws GIT_NOTHING_STAGED, GIT_CONFLICTED, GIT_HOOK_FAILED, GIT_IDENTITY_MISSING, GIT_SIGNING_FAILED, GIT_BUSY, GIT_WRITE_FAILED
 */
export async function commitStaged(
  git: Git,
  { root }: AgentFolder,
  message: string,
  programs: boolean,
): Promise<MadeCommit> {
  const { code } = await git(root, "diff", ["--cached", "--quiet"]);
  // The end of a merge may change no file.
  if (code === 0 && (await findUnderway(git, root)) === null)
    throw errors.GIT_NOTHING_STAGED();
  const result = await git.write(root, "commit", ["--quiet", "--file=-"], {
    programs,
    input: message,
    timeoutMs: COMMIT_DEADLINE_MS,
    maxOutputBytes: MAX_OUTPUT_BYTES,
  });
  if (result.code !== 0)
    throw toWriteError({ command: "commit", programs }, result);
  const made = await readGit(git, root, "log", [
    "--no-walk",
    "--format=%H%x00%s",
    "HEAD",
  ]);
  const [hash = "", subject = ""] = made.stdout.trimEnd().split("\0");
  return { hash, subject, output: toOutput(result) };
}
