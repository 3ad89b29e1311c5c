import type { TreeEntry } from "../wire.ts";

/** A message of the user in a conversation with branches. */
export interface BranchNode {
  entry: TreeEntry;
  /** Nesting level: 0 on the first branch, one more for each later branch that starts at the same message. */
  depth: number;
  /** Whether it is in the current branch. */
  isShown: boolean;
}

/**
 * Lists the messages before which a branch can start, oldest first, each branch next to the message it starts from.
 *
 * @param entries In any order; those with an unknown parent become roots.
 * @param leafId The newest entry of the current branch.
 */
export function toBranches(
  entries: readonly TreeEntry[],
  leafId: string | null,
): BranchNode[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const shown = new Set<string>();
  for (let at = leafId; at !== null && !shown.has(at);) {
    shown.add(at);
    at = byId.get(at)?.parentId ?? null;
  }
  const children = new Map<string | null, TreeEntry[]>();
  for (const entry of entries.filter(({ forkable }) => forkable)) {
    const parent = messageBefore(entry, byId);
    const siblings = children.get(parent) ?? [];
    children.set(parent, [...siblings, entry]);
  }
  const nodes: BranchNode[] = [];
  // A stack instead of recursion: a conversation may be ten thousand messages deep.
  const pending = toPending(children.get(null) ?? [], 0);
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { entry, depth } = next;
    nodes.push({ entry, depth, isShown: shown.has(entry.id) });
    pending.push(...toPending(children.get(entry.id) ?? [], depth));
  }
  return nodes;
}

/** The oldest child keeps the depth, the others are one level deeper. Being pushed first, it is listed after them. */
function toPending(
  entries: readonly TreeEntry[],
  depth: number,
): { entry: TreeEntry; depth: number }[] {
  return entries
    .toSorted((left, right) => left.at.localeCompare(right.at))
    .map((entry, index) => ({ entry, depth: index === 0 ? depth : depth + 1 }));
}

/** Returns the id of the previous user message; `null` for the first one. */
function messageBefore(
  entry: TreeEntry,
  byId: ReadonlyMap<string, TreeEntry>,
): string | null {
  const passed = new Set<string>();
  for (let at = entry.parentId; at !== null && !passed.has(at);) {
    passed.add(at);
    const found = byId.get(at);
    if (!found || found.forkable) return found?.id ?? null;
    at = found.parentId;
  }
  return null;
}
