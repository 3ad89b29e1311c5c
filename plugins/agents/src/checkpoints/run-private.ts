import type {
  GitResult,
  PrivateGit,
  PrivateGitCommand,
  PrivateGitOptions,
  PrivatePlaces,
} from "@gantry/git-kit";
import { isRead, toGitError } from "../repository/read-git.ts";
import { MAX_WORK_MS } from "./limits.ts";

/** Runs a command that is to succeed; names in its output have one character for each byte. @throws GIT_FAILED, GIT_TIMEOUT */
export async function runPrivate(
  git: PrivateGit,
  places: PrivatePlaces,
  command: PrivateGitCommand,
  args: readonly string[],
  options: PrivateGitOptions = {},
): Promise<GitResult> {
  const result = await git(places, command, args, {
    encoding: "latin1",
    timeoutMs: MAX_WORK_MS,
    ...options,
  });
  if (!isRead(result)) throw toGitError(command, result);
  return result;
}
