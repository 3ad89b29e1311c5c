import { toVisibleText } from "@gantry/plugin";

/** The worktree of an agent that is deleted. */
export interface WorktreeCleanup {
  branch: string;
  /** The first files with changes that are in no commit. */
  changed: readonly string[];
  /** How many those are; `null` if it is not known. */
  changes: number | null;
  /** Commits of the branch that no remote and no other branch has. */
  commits: number;
}

const MAX_NAMED = 8;

/** What is lost with the files of a worktree. */
export function describeLoss({ changed, changes }: WorktreeCleanup): string {
  if (changes === 0) return "Nothing is lost: all changes are committed.";
  if (changes === null)
    return "Changes that are in no commit are lost. Which there are could not be read.";
  const what =
    changes === 1
      ? "1 file with changes that are in no commit is lost"
      : `${changes} files with changes that are in no commit are lost`;
  const named = changed.slice(0, MAX_NAMED).map(toVisibleText);
  if (named.length === 0) return `${what}.`;
  const more = named.length < changes ? ["…"] : [];
  return `${what}: ${[...named, ...more].join(", ")}`;
}

/** What stays of the branch when its worktree is removed. */
export function describeBranchEnd({
  branch,
  commits,
}: WorktreeCleanup): string {
  const name = toVisibleText(branch);
  if (commits === 0) return `The branch ${name} stays.`;
  const count =
    commits === 1
      ? "1 commit that is nowhere else"
      : `${commits} commits that are nowhere else`;
  return `The branch ${name} stays, with ${count}.`;
}
