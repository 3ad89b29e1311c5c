import type { Git } from "@gantry/git-kit";
import { findTrackingRef } from "../repository/branch-remotes.ts";
import { readGit } from "../repository/read-git.ts";
import type { BranchPlaces } from "./branch-places.ts";
import { isSamePlace } from "./place.ts";
import { showName } from "../plain-text.ts";

/** Why there can be no pull request, in a sentence with the way out. */
export interface Fault {
  fault: string;
}

/** @param reason A sentence without its full stop. */
export const fail = (reason: string): Fault => ({ fault: `${reason}.` });

/** A repository that pull requests are for. */
export interface Target {
  place: string;
  base: string;
  /** Whether the branch is in it. */
  isOwn: boolean;
  /** Its remote here. */
  remote: string | undefined;
}

/** Reads which commits are in the pull request, or why there are none that GitHub has. */
export async function readRange(
  git: Git,
  root: string,
  { branch, remote, own, name, named }: BranchPlaces,
  target: Target,
): Promise<string[] | Fault> {
  const head = await git.resolve(root, "HEAD");
  if (head === undefined)
    return fail("The branch has no commit yet; commit something first");
  // An address may be that of a remote with a name.
  const ownRemote =
    named.find((each) => each.remote === remote)?.remote ??
    named.find((each) => own && isSamePlace(each.place, own))?.remote;
  const there =
    ownRemote && (await findTrackingRef(git, root, ownRemote, name));
  const pushed = there ? await git.resolve(root, there) : undefined;
  const bases = await Promise.all(
    [target.remote, ownRemote].map(
      async (each) =>
        each && (await findTrackingRef(git, root, each, target.base)),
    ),
  );
  let base: string | undefined;
  for (const ref of [...bases, `refs/heads/${target.base}`])
    // The branch of that name may be this one, if it goes into another repository.
    if (ref && ref !== there && ref !== `refs/heads/${branch}`)
      base ??= await git.resolve(root, ref);
  const range = [
    head,
    ...(pushed ? [pushed] : []),
    ...(base ? [`^${base}`] : []),
  ];
  if (base && (await count(git, root, range)) === 0)
    return fail(
      `The branch ${showName(branch)} has no commits that ${showName(target.base)} does not have; commit something first`,
    );
  const where = showName(ownRemote ?? "");
  if (there && !pushed)
    return fail(
      `The branch ${showName(branch)} is not on ${where} yet; push it first`,
    );
  const missing = pushed ? await count(git, root, [head, `^${pushed}`]) : 0;
  if (missing > 0)
    return fail(
      missing === 1
        ? `A commit of ${showName(branch)} is not on ${where} yet; push it first`
        : `${missing} commits of ${showName(branch)} are not on ${where} yet; push them first`,
    );
  return base ? range : [];
}

async function count(
  git: Git,
  root: string,
  range: readonly string[],
): Promise<number> {
  const { stdout } = await readGit(git, root, "rev-list", [
    "--count",
    ...range,
  ]);
  return Number(stdout.trim());
}
