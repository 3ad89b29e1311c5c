import type { GraphNode } from "./lanes.ts";

/**
 * Puts commits so that none comes before a child of its, and changes nothing else: dates alone do not tell, since several
 * commits may be of one second, and clocks go wrong.
 */
export function orderCommits<Commit extends GraphNode>(
  commits: readonly Commit[],
): Commit[] {
  const byHash = new Map(commits.map((commit) => [commit.hash, commit]));
  const isPlaced = new Set<string>();
  const children = new Map<string, Commit[]>();
  for (const commit of commits)
    for (const parent of commit.parents)
      if (byHash.has(parent))
        children.set(parent, [...(children.get(parent) ?? []), commit]);

  const ordered: Commit[] = [];
  for (const first of commits) {
    // Without recursion: a chain may be as long as the page.
    const waiting = [first];
    for (let commit; (commit = waiting.at(-1));) {
      if (isPlaced.has(commit.hash)) {
        waiting.pop();
        continue;
      }
      const before = (children.get(commit.hash) ?? []).find(
        ({ hash }) => !isPlaced.has(hash),
      );
      if (before) {
        waiting.push(before);
        continue;
      }
      waiting.pop();
      isPlaced.add(commit.hash);
      ordered.push(commit);
    }
  }
  return ordered;
}
