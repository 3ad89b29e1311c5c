import { partInWords, pluginOf } from "../backup/partNames.ts";
import type { SnapshotPart } from "../wire.ts";

/** A plugin's part of a snapshot, with the kinds of records that can be chosen alone. */
export interface PartGroup {
  part: SnapshotPart;
  label: string;
  kinds: { part: SnapshotPart; label: string }[];
}

/** The parts by plugin, the plugins by name. */
export function toPartTree(parts: readonly SnapshotPart[]): PartGroup[] {
  const groups = new Map<string, PartGroup>();
  for (const part of parts)
    if (pluginOf(part.name) === part.name)
      groups.set(part.name, { part, label: partInWords(part.name), kinds: [] });
  for (const part of parts) {
    const group = groups.get(pluginOf(part.name));
    if (group && group.part !== part)
      group.kinds.push({ part, label: partInWords(part.name) });
  }
  return [...groups.values()].sort((one, other) =>
    one.label.localeCompare(other.label),
  );
}

/** Whether all of a plugin is chosen, some of it, or nothing. */
export function chosenOf(
  { part, kinds }: PartGroup,
  only: ReadonlySet<string>,
): "all" | "some" | "none" {
  if (only.has(part.name)) return "all";
  return kinds.some((kind) => only.has(kind.part.name)) ? "some" : "none";
}

/** The choice with all of a plugin in it, or nothing of it. */
export function toggleGroup(
  group: PartGroup,
  only: ReadonlySet<string>,
): Set<string> {
  const next = withoutGroup(group, only);
  if (chosenOf(group, only) !== "all") next.add(group.part.name);
  return next;
}

/** The choice with one kind of records added or taken out. All kinds of a plugin that has no files are the plugin. */
export function toggleKind(
  group: PartGroup,
  name: string,
  only: ReadonlySet<string>,
): Set<string> {
  const kinds = group.kinds.map((kind) => kind.part.name);
  const before = only.has(group.part.name)
    ? new Set(kinds)
    : new Set(kinds.filter((kind) => only.has(kind)));
  if (!before.delete(name)) before.add(name);
  const next = withoutGroup(group, only);
  if (before.size === kinds.length && group.part.files === 0)
    next.add(group.part.name);
  else for (const kind of before) next.add(kind);
  return next;
}

function withoutGroup(
  { part }: PartGroup,
  only: ReadonlySet<string>,
): Set<string> {
  return new Set([...only].filter((name) => pluginOf(name) !== part.name));
}
