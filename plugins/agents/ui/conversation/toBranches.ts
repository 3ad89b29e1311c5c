import type { TreeEntry } from "../wire.ts";

/** A message of the user in a conversation with branches. */
export interface BranchNode {
  entry: TreeEntry;
  /** How often another branch was begun before it: 0 on the first one. */
  depth: number;
  /** It is in the branch that the conversation shows. */
  isShown: boolean;
}

/**
 * The messages that a conversation can be continued from, oldest first, each branch below the message that it parted from.
 *
 * @param entries In any order; those whose beginning is missing stand alone.
 * @param leafId The newest entry of the branch that is shown.
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
  // A stack instead of a recursion: a conversation may be ten thousand messages deep.
  const pending = toPending(children.get(null) ?? [], 0);
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { entry, depth } = next;
    nodes.push({ entry, depth, isShown: shown.has(entry.id) });
    pending.push(...toPending(children.get(entry.id) ?? [], depth));
  }
  return nodes;
}

/** The first one continues at the same depth; it is drawn last, so that what parted from it stands beside its place. */
function toPending(
  entries: readonly TreeEntry[],
  depth: number,
): { entry: TreeEntry; depth: number }[] {
  return entries
    .toSorted((left, right) => left.at.localeCompare(right.at))
    .map((entry, index) => ({ entry, depth: index === 0 ? depth : depth + 1 }));
}

/** The message of the user that an entry follows, `null` for the first. */
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
