import type { StagedPart } from "../../src/shipping/hunks.ts";
import type { NoRepository, PullRequestState } from "../repository/wire.ts";

export type { StagedPart };

/** Where a push goes, and what it does there. */
export interface PushTarget {
  remote: string;
  address: string;
  branch: string;
  isDefault: boolean;
  /** The remote does not have the branch yet. */
  isNew: boolean;
  /** Commits that the remote does not have; `null` if that is not known. */
  commits: number | null;
  /** Commits that only the remote has, as of the last fetch. */
  behind: number | null;
  command: string;
}

/** Programs of the repository's or the user's own that git would run. */
export interface GitPrograms {
  items: string[];
  /** Those without which git cannot do it. */
  required: string[];
  trusted: boolean;
  /** Of what is named here; another one is refused. */
  mark: string;
}

/** A discard that can be undone. */
export interface Discard {
  undoId: string;
  at: string;
  /** Some of the files. */
  paths: string[];
  isHunk: boolean;
}

/** What can be committed and pushed. */
export interface ShippingState {
  /** `null` if no branch is checked out. */
  branch: string | null;
  /** `null` before the first commit. */
  head: CommitName | null;
  underway: "merge" | "rebase" | "cherry-pick" | "revert" | null;
  /** Files in the agent's folder; a partly staged one counts in both. */
  staged: number;
  unstaged: number;
  conflicts: number;
  /** Staged files outside of the agent's folder, which are in the commit too. */
  stagedOutside: string[];
  push: PushTarget | null;
  /** Why there is no push, with the way out. */
  pushFault: string | null;
  /** The last commit, if it can be undone. */
  undo: CommitName | null;
  programs: GitPrograms;
}

export interface CommitName {
  hash: string;
  subject: string;
}

export type ShippingAnswer = NoRepository | ({ git: true } & ShippingState);

export interface MadeCommit extends CommitName {
  command: string;
  /** What hooks printed. */
  output: string;
}

export interface MadePush {
  remote: string;
  branch: string;
  command: string;
  output: string;
}

/** A commit that was undone: its changes stay, staged. */
export interface UndoneCommit {
  message: string;
  command: string;
}

/** The end of the log of a check. */
export interface CheckLog {
  check: string;
  text: string;
  truncated: boolean;
}

export type PullRequest = NonNullable<PullRequestState["pr"]>;
export type Check = PullRequest["items"][number];

/** What a new pull request would say, or why there cannot be one. */
export type PullRequestDraft =
  | { title: string; body: string; base: string; repository: string }
  | { fault: string };

export interface OpenedPullRequest {
  url: string;
  number: number;
  command: string;
}
