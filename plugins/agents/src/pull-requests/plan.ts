import type { Git } from "@gantry/git-kit";
import { toVisibleText } from "@gantry/plugin";
import { readDefaultBranches } from "../repository/delivery.ts";
import { isRefName } from "../repository/revision.ts";
import { readBranchPlaces, type BranchPlaces } from "./branch-places.ts";
import { fail, readRange, type Fault, type Target } from "./commit-range.ts";
import { hostOf, isSamePlace, ownerOf } from "./place.ts";
import { showName } from "../plain-text.ts";
import type { RepositoryBook } from "./repository-facts.ts";

/** Where a new pull request goes, and what is in it. */
export interface Plan {
  /** The repository that it is for, such as `github.com/ann/it`. */
  place: string;
  /** The branch of it that takes up the commits. */
  base: string;
  /** The branch as `gh` takes it, with its owner if it is in another repository. */
  head: string;
  /** The branch as it is called here. */
  branch: string;
  /** Revisions that stand for its commits; none if these are not known here. */
  range: string[];
}

/** Dependencies of {@link planPullRequest}. */
export interface PlanHost {
  git: Git;
  book: RepositoryBook;
}

/**
 * Plans the pull request of the branch that is checked out.
 *
 * @param base The branch that it is for; unless said, the default one.
 */
export async function planPullRequest(
  host: PlanHost,
  folder: string,
  base?: string,
): Promise<Plan | Fault> {
  const { git } = host;
  const root = await git.root(folder);
  if (root === undefined) {
    const reason = await git.refusal(folder);
    return reason === undefined
      ? fail(
          "The agent's folder is in no git repository; make one with git init first",
        )
      : { fault: toVisibleText(reason) };
  }
  const places = await readBranchPlaces(git, root);
  if ("missing" in places)
    return places.missing === "branch"
      ? fail("No branch is checked out; make one with git switch -c NAME first")
      : fail(
          "The branch has no remote to go to; add a repository on GitHub with git remote add origin ADDRESS first",
        );
  const { own, source } = places;
  if (!own)
    return fail(
      "The remote of the branch is not on GitHub, which is all that gh knows; open the pull request on the website of that remote",
    );
  if (source)
    return fail(
      `The branch belongs to pull request #${source.number}; make another one with git switch -c NAME first`,
    );
  const target = await findTarget(host, root, places, own);
  const into = base ?? target.base;
  const plan = {
    place: target.place,
    base: into,
    head: target.isOwn ? places.name : `${ownerOf(own)}:${places.name}`,
    branch: places.branch,
  };
  if (target.isOwn && places.name === into)
    return fail(
      `Pull requests go into ${showName(into)} itself; make another branch for the changes with git switch -c NAME first`,
    );
  const range = await readRange(git, root, places, { ...target, base: into });
  return Array.isArray(range) ? { ...plan, range } : range;
}

/** The repository that `gh pr create` would suggest: the main one of a fork. */
async function findTarget(
  { git, book }: PlanHost,
  root: string,
  { named }: BranchPlaces,
  own: string,
): Promise<Target> {
  const first = named.find(({ place }) => hostOf(place) === hostOf(own)) ?? {
    remote: undefined,
    place: own,
  };
  const known = await book.find(first.place);
  // What is called so is meant to be the main one, even if it is a fork in turn.
  const parent = first.remote === "upstream" ? undefined : known?.parent;
  const facts = parent === undefined ? known : await book.find(parent);
  const place = facts?.place ?? parent ?? first.place;
  const remote = parent
    ? named.find((each) => isSamePlace(each.place, parent))?.remote
    : first.remote;
  const names = [
    facts?.defaultBranch,
    remote === undefined ? undefined : await readRemoteHead(git, root, remote),
    ...(await readDefaultBranches(git, root)),
  ];
  return {
    place,
    base: names.find((name) => name !== undefined && isRefName(name)) ?? "main",
    isOwn:
      isSamePlace(own, place) || (!parent && isSamePlace(own, first.place)),
    remote,
  };
}

/** What the remote calls its default branch, as far as is known here. */
async function readRemoteHead(
  git: Git,
  root: string,
  remote: string,
): Promise<string | undefined> {
  const start = `refs/remotes/${remote}/`;
  const { stdout } = await git(root, "symbolic-ref", ["-q", `${start}HEAD`]);
  const ref = stdout.trim();
  return ref.startsWith(start) ? ref.slice(start.length) : undefined;
}
