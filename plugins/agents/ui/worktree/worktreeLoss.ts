import { toVisibleText } from "@gantry/plugin";

/** The worktree of an agent that is deleted. */
export interface WorktreeCleanup {
  branch: string;
  /** The first files with changes that are in no commit. */
  changed: readonly string[];
  /** How many those are; `null` if it is not known. */
  changes: number | null;
  /** The first files and folders that git ignores. */
  ignored: readonly string[];
  /** Commits of the branch that no remote and no other branch has. */
  commits: number;
}

const MAX_NAMED = 8;

/** What is lost with the files of a worktree. */
export function describeLoss(cleanup: WorktreeCleanup): string {
  const { ignored, changes } = cleanup;
  if (ignored.length === 0)
    return changes === 0
      ? "Nothing is lost: all changes are committed."
      : describeChanges(cleanup);
  const files = `Files that git ignores are lost: ${nameSome(ignored, ignored.length)}.`;
  return changes === 0
    ? `All changes are committed. ${files}`
    : `${describeChanges(cleanup)} ${files}`;
}

function describeChanges({ changed, changes }: WorktreeCleanup): string {
  if (changes === null)
    return "Changes that are in no commit are lost. Which there are could not be read.";
  const what =
    changes === 1
      ? "1 file with changes that are in no commit is lost"
      : `${changes} files with changes that are in no commit are lost`;
  return changed.length === 0
    ? `${what}.`
    : `${what}: ${nameSome(changed, changes)}.`;
}

function nameSome(paths: readonly string[], count: number): string {
  const named = paths.slice(0, MAX_NAMED).map(toVisibleText);
  return `${named.join(", ")}${named.length < count ? ", and more" : ""}`;
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
