import type { Git } from "@gantry/git-kit";
import {
  readBranchRemotes,
  type BranchRemotes,
} from "../repository/branch-remotes.ts";
import { readDefaultBranches } from "../repository/delivery.ts";
import { ownerOf, toPlace } from "./place.ts";

/** Repositories that a pull request is looked for in. */
const MAX_PLACES = 3;

/** The branch that is checked out, and the repositories on GitHub that it has to do with. */
export interface BranchPlaces {
  branch: string;
  /** The remote that it is pushed to, by name or address. */
  remote: string;
  /** The repository of that remote; `undefined` if it is not on GitHub. */
  own: string | undefined;
  /** What the branch is called there. */
  name: string;
  /** Remotes on GitHub, the main repository of a fork first, which usually is `upstream` or else `origin`. */
  named: { remote: string; place: string }[];
  /** The pull request that the branch was checked out from. */
  source: { place: string; number: number } | undefined;
}

/** Where to look for the pull request of a branch. */
export interface Search {
  /** Repositories on GitHub that it may be for. */
  places: string[];
  /** The branch as its remote calls it, and whose that is. */
  head: { owner: string; branch: string };
  /** Of the one that the branch was checked out from. */
  number?: number;
}

/** Reads where the branch goes that is checked out, or that there is no branch or no remote for it. */
export async function readBranchPlaces(
  git: Git,
  root: string,
): Promise<BranchPlaces | { missing: "branch" | "remote" }> {
  const known = await readBranchRemotes(git, root);
  const { branch, remote, remotes, upstream } = known;
  if (branch === undefined) return { missing: "branch" };
  if (remote === undefined) return { missing: "remote" };
  const findPlace = async (name: string) =>
    toPlace(
      remotes.includes(name) ? ((await git.remote(root, name)) ?? "") : name,
    );
  const named = await Promise.all(
    [...new Set(["upstream", "origin", ...remotes])]
      .filter((name) => remotes.includes(name))
      .map(async (name) => ({ remote: name, place: await findPlace(name) })),
  );
  // As `gh pr checkout` leaves it.
  const number = /^refs\/pull\/(\d+)\/head$/.exec(upstream?.ref ?? "")?.[1];
  const place = number && upstream && (await findPlace(upstream.remote));
  return {
    branch,
    remote,
    own: await findPlace(remote),
    name: (await findNameThere(git, root, known)) ?? branch,
    named: named.flatMap((each) =>
      each.place === undefined ? [] : [{ ...each, place: each.place }],
    ),
    source: place ? { place, number: Number(number) } : undefined,
  };
}

/** What the branch is called where it is pushed to, if that is another name than here. */
async function findNameThere(
  git: Git,
  root: string,
  { remote = "", remotes, upstream, pushed }: BranchRemotes,
): Promise<string | undefined> {
  // With an address for a remote, git keeps there what the branch is called. Else it may follow any branch, and only what
  // a push writes to is its own, unless that is where the work of others ends up.
  if (upstream?.remote === remote && !remotes.includes(remote))
    return /^refs\/heads\/(.+)$/s.exec(upstream.ref)?.[1];
  return pushed && !(await readDefaultBranches(git, root)).includes(pushed)
    ? pushed
    : undefined;
}

/** Where to look for the pull request of a branch; `undefined` if the branch is not on GitHub. */
export function toSearch({
  branch,
  own,
  name,
  named,
  source,
}: BranchPlaces): Search | undefined {
  if (!own) return undefined;
  if (source)
    return {
      places: [source.place],
      head: { owner: "", branch },
      number: source.number,
    };
  const places = new Set([own, ...named.map(({ place }) => place)]);
  return {
    places: [...places].slice(0, MAX_PLACES),
    head: { owner: ownerOf(own), branch: name },
  };
}
