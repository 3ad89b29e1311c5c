import type { Git } from "@gantry/git-kit";

/** A branch and where it goes. */
export interface BranchRemotes {
  /** `undefined` if none is checked out. */
  branch: string | undefined;
  /** What it follows: the name or the address of a remote, and a branch or another reference of it. */
  upstream: { remote: string; ref: string } | undefined;
  /** The remote that it is pushed to, by name or address: its own, else `origin`, else the only one. */
  remote: string | undefined;
  /** The branch of that remote to which settings send a plain push; `undefined` if they do not say. */
  pushed: string | undefined;
  /** Names of all remotes. */
  remotes: string[];
}

/** Reads where the branch goes that is checked out. */
export async function readBranchRemotes(
  git: Git,
  folder: string,
): Promise<BranchRemotes> {
  const [branch, branches, known] = await Promise.all([
    git.branch(folder),
    git.settings(folder, "branch"),
    git.settings(folder, "remote"),
  ]);
  const remotes = [
    ...new Set(
      known.flatMap(({ name, key }) => (name && key === "url" ? [name] : [])),
    ),
  ];
  const own = (key: string) =>
    branch === undefined
      ? undefined
      : branches.findLast((each) => each.name === branch && each.key === key)
          ?.value;
  const [remote, ref] = [own("remote"), own("merge")];
  const usual = remotes.includes("origin")
    ? "origin"
    : remotes.length === 1
      ? remotes[0]
      : undefined;
  const push = await readPush(git, folder, branch);
  return {
    branch,
    upstream: remote && ref ? { remote, ref } : undefined,
    remote: push.remote ?? (remote === "." ? undefined : remote) ?? usual,
    pushed: push.branch,
    remotes,
  };
}

/** Where settings send a plain push, those of the user included. */
async function readPush(
  git: Git,
  folder: string,
  branch: string | undefined,
): Promise<{ remote?: string; branch?: string }> {
  if (branch === undefined) return {};
  const { stdout } = await git(folder, "for-each-ref", [
    "--format=%(push:remotename)%00%(push)",
    `refs/heads/${branch}`,
  ]);
  const [remote = "", ref = ""] = stdout.trim().split("\0");
  if (remote === "" || remote === ".") return {};
  const start = `refs/remotes/${remote}/`;
  return ref.startsWith(start)
    ? { remote, branch: ref.slice(start.length) }
    : { remote };
}

/**
 * The reference under which a branch of a remote is kept here. `undefined` if the remote's settings keep none, as in a clone
 * of a single branch, and for the address of a remote without a name.
 */
export async function findTrackingRef(
  git: Git,
  folder: string,
  remote: string,
  branch: string,
): Promise<string | undefined> {
  const source = `refs/heads/${branch}`;
  for (const { name, key, value } of await git.settings(folder, "remote")) {
    if (name !== remote || key !== "fetch") continue;
    const [from = "", to = ""] = value.replace(/^\+/, "").split(":");
    if (from === source && to !== "") return to;
    const [start = "", end] = from.split("*");
    const isCovered =
      end !== undefined &&
      source.length >= start.length + end.length &&
      source.startsWith(start) &&
      source.endsWith(end);
    if (!isCovered || !to.includes("*")) continue;
    const rest = source.slice(start.length, source.length - end.length);
    return to.split("*").join(rest);
  }
  return undefined;
}
