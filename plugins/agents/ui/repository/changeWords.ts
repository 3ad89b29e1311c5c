import { toVisibleText } from "@gantry/plugin";
import type { RepositoryStatus } from "./wire.ts";

/** How many files have changed, and how the branch stands to its upstream. */
export function countChanges({
  items,
  truncated,
  ahead,
  behind,
}: RepositoryStatus): string {
  const { length } = items;
  return [
    `${length}${truncated ? "+" : ""} ${length === 1 ? "file" : "files"}`,
    ahead ? `${ahead} ahead` : "",
    behind ? `${behind} behind` : "",
  ]
    .filter(Boolean)
    .join(" · ");
}

/** Repositories whose files are not among the changes; empty if there are none. */
export function nameOthers(
  repositories: RepositoryStatus["repositories"],
): string {
  const names = (kind: string, words: string) => {
    const paths = repositories.filter((each) => each.kind === kind);
    return paths.length > 0
      ? `${words}: ${paths.map((each) => toVisibleText(each.path)).join(", ")}.`
      : "";
  };
  return [
    names("worktree", "Working trees with changes of their own"),
    names("nested", "Repositories with changes of their own"),
  ]
    .filter(Boolean)
    .join(" ");
}
