import { join } from "node:path";
import type { Git } from "@gantry/git-kit";
import { errors } from "../errors.ts";
import { findTrackingRef } from "../repository/branch-remotes.ts";
import { composeCommand } from "../repository/compose.ts";
import { readComposeState } from "../repository/compose-state.ts";
import type { AgentFolder } from "../folder/agent-folder.ts";
import { hidePasswords, toOutput, toWriteError } from "./to-write-error.ts";

/** Time for a large push over a slow line, hooks included. */
export const PUSH_DEADLINE_MS = 10 * 60_000;
const MAX_OUTPUT_BYTES = 256 * 1024;

/** Where a push of the branch goes that is checked out. */
export interface PushPlan {
  remote: string;
  /** Without a password. */
  address: string;
  branch: string;
  /** Others' work ends up in this branch. */
  isDefault: boolean;
  /** The remote does not have it, as far as is known here. */
  isNew: boolean;
  /** That the remote is not known to have. */
  commits: number;
  /** That only the remote has, as far as is known. */
  behind: number;
  /** The line for a shell. */
  command: string;
}

/** What was pushed. */
export interface Pushed {
  remote: string;
  branch: string;
  command: string;
  output: string;
}

/**
 * Plans the push of the branch that is checked out, or tells why there is none.
 *
 * @param head The commit that is checked out.
 */
export async function planPush(
  git: Git,
  { root: folder }: AgentFolder,
  head: string | null,
): Promise<PushPlan | string> {
  const root = (await git.root(folder)) ?? folder;
  const state = await readComposeState(
    git,
    { root, folder },
    { action: "push" },
  );
  const { branch, remote, hasRemotes, defaults } = state;
  if (branch === undefined)
    return "No branch is checked out; make one first: git switch -c NAME";
  if (head === null) return "There is no commit yet.";
  if (!hasRemotes && remote === undefined)
    return "The repository has no remote; add one first: git remote add origin ADDRESS";
  if (remote === undefined)
    return "It cannot be told to which remote the branch goes; push it once in a terminal: git push -u REMOTE HEAD";
  const kept = await findTrackingRef(git, root, remote, branch);
  const there = kept && (await git.resolve(root, kept));
  const range =
    there === undefined
      ? [head, "--not", `--remotes=${remote}`]
      : ["--left-right", `${head}...${there}`];
  const { stdout } = await git(root, "rev-list", ["--count", ...range]);
  const [commits = 0, behind = 0] = stdout.trim().split("\t").map(Number);
  const address = await readPushAddress(git, root, remote);
  const { command } = composeCommand({ action: "push" }, state);
  return {
    ...{ remote, branch, commits, behind, command },
    address: hidePasswords(address),
    isDefault: defaults.includes(branch),
    isNew: kept !== undefined && there === undefined,
  };
}

/**
 * Pushes the branch that is checked out to the branch of that name, which it follows from then on.
 *
 * @param programs Whether hooks run, and the remote may be a folder of this machine, which has programs of its own.
 * @throws GIT_PUSH_IMPOSSIBLE, GIT_PUSH_REJECTED, GIT_PUSH_DENIED, GIT_REMOTE_UNREACHABLE, GIT_PROGRAMS_NEEDED, GIT_HOOK_FAILED,
 *   GIT_WRITE_FAILED
 */
export async function pushBranch(
  git: Git,
  folder: AgentFolder,
  programs: boolean,
): Promise<Pushed> {
  const { root } = folder;
  const head = (await git.resolve(root, "HEAD")) ?? null;
  const plan = await planPush(git, folder, head);
  if (typeof plan === "string")
    throw errors.GIT_PUSH_IMPOSSIBLE({ reason: plan });
  const { remote, branch, command } = plan;
  const result = await git.write(
    root,
    "push",
    [...(programs ? ["-u"] : []), remote, `HEAD:refs/heads/${branch}`],
    {
      programs,
      reachesOut: true,
      timeoutMs: PUSH_DEADLINE_MS,
      maxOutputBytes: MAX_OUTPUT_BYTES,
    },
  );
  if (result.code !== 0)
    throw toWriteError({ command: "push", programs, remote, branch }, result);
  if (!programs) await follow(git, root, remote, branch);
  return { remote, branch, command, output: toOutput(result) };
}

/** What `push -u` writes, into the repository's own configuration, which git does not see here. */
async function follow(
  git: Git,
  root: string,
  remote: string,
  branch: string,
): Promise<void> {
  const file = join((await git.common(root)) ?? root, "config");
  const settings = { remote, merge: `refs/heads/${branch}` };
  for (const [key, value] of Object.entries(settings)) {
    const args = ["--file", file, `branch.${branch}.${key}`, value];
    const result = await git.write(root, "config", args, { programs: false });
    if (result.code !== 0)
      throw toWriteError({ command: "config", programs: false }, result);
  }
}

/** Where a push to a remote goes. */
async function readPushAddress(
  git: Git,
  root: string,
  remote: string,
): Promise<string> {
  const settings = await git.settings(root, "remote");
  const own = settings.findLast(
    ({ name, key }) => name === remote && key === "pushurl",
  );
  return own?.value ?? (await git.remote(root, remote)) ?? remote;
}
