import type { Git } from "@gantry/plugin";
import { readBranchRemotes } from "./branch-remotes.ts";
import type { ComposeInput } from "./compose.ts";
import { readDefaultBranches } from "./delivery.ts";
import { isRefName } from "./revision.ts";
import { readStatus, type RepositoryStatus } from "./status.ts";

/** What a command depends on besides what somebody wants done. */
export interface ComposeState {
  /** `undefined` if none is checked out. */
  branch: string | undefined;
  /** What the branch follows, such as `origin/main`; `undefined` if that is nothing, or no branch. */
  upstream: { remote: string; branch: string } | undefined;
  /** The remote that the branch is pushed to. */
  remote: string | undefined;
  /** Branches that others' work ends up in, such as `main`. */
  defaults: readonly string[];
  /** Whether the name that was given is that of a branch here. */
  isBranch: boolean;
  /** Files, for a commit. */
  status: RepositoryStatus | undefined;
}

/** Reads what a command depends on. @param root Top folder of the working tree. */
export async function readComposeState(
  git: Git,
  root: string,
  { action, name = "" }: ComposeInput,
): Promise<ComposeState> {
  const [remotes, defaults, named, status] = await Promise.all([
    readBranchRemotes(git, root),
    readDefaultBranches(git, root),
    isRefName(name) ? git.resolve(root, `refs/heads/${name}`) : undefined,
    action === "commit" ? readStatus(git, root) : undefined,
  ]);
  const { branch, upstream, remote } = remotes;
  const followed = /^refs\/heads\/(.+)$/s.exec(upstream?.ref ?? "")?.[1];
  return {
    branch: branch !== undefined && isRefName(branch) ? branch : undefined,
    upstream:
      upstream && followed
        ? { remote: upstream.remote, branch: followed }
        : undefined,
    remote: remote !== undefined && isAddressable(remote) ? remote : undefined,
    defaults,
    isBranch: named !== undefined,
    status,
  };
}

/** Whether a remote is a name, or an address at which git runs no program of the repository's choice. */
function isAddressable(remote: string): boolean {
  return (
    isRefName(remote) ||
    /^(https:\/\/|ssh:\/\/git@|git@)[\w.-]+(:\d+)?[:/][\w./~-]+$/.test(remote)
  );
}
