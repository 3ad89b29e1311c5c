import { dirname, relative } from "node:path";
import type { Git } from "@gantry/git-kit";
import { readBranchRemotes } from "./branch-remotes.ts";
import type { ComposeInput } from "./compose-input.ts";
import { readDefaultBranches } from "./delivery.ts";
import { isRefName } from "./revision.ts";
import type { RepositoryStatus } from "./parse-status.ts";
import { readStatus } from "./status.ts";

/** What a command depends on besides what the user wants done. */
export interface ComposeState {
  /** `undefined` if none is checked out. */
  branch: string | undefined;
  /** What the branch follows, such as `origin/main`; `undefined` if that is nothing, or no branch. */
  upstream: { remote: string; branch: string } | undefined;
  /** The remote that the branch is pushed to. */
  remote: string | undefined;
  hasRemotes: boolean;
  /** Branches that others' work ends up in, such as `main`. */
  defaults: readonly string[];
  /** What the target that was given is: a branch here or of a remote, or another commit. */
  target: "branch" | "remote" | "commit" | undefined;
  /** Whether the name that was given is that of a branch here. */
  isBranch: boolean;
  /** Path from the agent's folder to the one around the working tree. */
  outside: string;
  /** Files, for a commit. */
  status: RepositoryStatus | undefined;
}

/**
 * Reads what a command depends on.
 *
 * @param root Top folder of the working tree.
 * @param folder The agent's, in which the command is to be run.
 */
export async function readComposeState(
  git: Git,
  { root, folder }: { root: string; folder: string },
  { action, name = "", target = "" }: ComposeInput,
): Promise<ComposeState> {
  const [remotes, defaults, named, kind, status] = await Promise.all([
    readBranchRemotes(git, root),
    readDefaultBranches(git, root),
    isRefName(name) ? git.resolve(root, `refs/heads/${name}`) : undefined,
    action === "switch" ? findKind(git, root, target) : undefined,
    action === "commit" ? readStatus(git, root) : undefined,
  ]);
  const { branch, upstream, remote } = remotes;
  const followed = /^refs\/heads\/(.+)$/s.exec(upstream?.ref ?? "")?.[1];
  return {
    branch: branch !== undefined && isRefName(branch) ? branch : undefined,
    upstream:
      upstream && followed
        ? { remote: toName(upstream.remote), branch: followed }
        : undefined,
    remote: remote !== undefined && isAddressable(remote) ? remote : undefined,
    hasRemotes: remotes.remotes.length > 0,
    defaults,
    target: kind,
    isBranch: named !== undefined,
    outside: relative(folder, dirname(root)),
    status,
  };
}

async function findKind(
  git: Git,
  root: string,
  target: string,
): Promise<ComposeState["target"]> {
  if (!isRefName(target)) return undefined;
  const is = async (name: string) =>
    (await git.resolve(root, name)) !== undefined;
  if (await is(`refs/heads/${target}`)) return "branch";
  if (await is(`refs/remotes/${target}`)) return "remote";
  return (await is(target)) ? "commit" : undefined;
}

/** The name of a remote; an address may hold a password. */
function toName(remote: string): string {
  return isRefName(remote) ? remote : "(an address)";
}

/** Whether a remote is a name, or an address at which git runs no program of the repository's choice. */
function isAddressable(remote: string): boolean {
  return (
    isRefName(remote) ||
    /^(https:\/\/|ssh:\/\/git@|git@)[\w.-]+(:\d+)?[:/][\w./~-]+$/.test(remote)
  );
}
