import type { Imports } from "./read-imports.ts";

/** Imports that may close a circle, each with the reason. */
export interface AllowedImport {
  /** Beginning of the path of the importing file. */
  from: string;
  to: string;
  reason: string;
}

/**
 * Finds files that import each other in a circle.
 *
 * @returns One shortest circle for each group of such files: its files in the order of their imports.
 */
export function findCircles(
  imports: Imports,
  allowed: readonly AllowedImport[] = [],
): string[][] {
  const targetsOf = (file: string) =>
    (imports.get(file) ?? []).filter(
      (target) =>
        !allowed.some(({ from, to }) => file.startsWith(from) && target === to),
    );
  return findGroups([...imports.keys()], targetsOf).flatMap((group) => {
    const circle = shortestCircle(group, targetsOf);
    return circle ? [circle] : [];
  });
}

/** Tarjan's algorithm: groups of files in which each reaches every other. */
function findGroups(
  files: readonly string[],
  targetsOf: (file: string) => readonly string[],
): string[][] {
  const indices = new Map<string, number>();
  const open: string[] = [];
  const groups: string[][] = [];
  /** Returns the lowest index that is reached from a file. */
  function visit(file: string): number {
    const index = indices.size;
    let lowest = index;
    indices.set(file, index);
    open.push(file);
    for (const target of targetsOf(file)) {
      const known = indices.get(target);
      if (known === undefined) lowest = Math.min(lowest, visit(target));
      else if (open.includes(target)) lowest = Math.min(lowest, known);
    }
    if (lowest === index) groups.push(open.splice(open.indexOf(file)));
    return lowest;
  }
  for (const file of files) if (!indices.has(file)) visit(file);
  return groups;
}

function shortestCircle(
  group: readonly string[],
  targetsOf: (file: string) => readonly string[],
): string[] | undefined {
  const members = new Set(group);
  let shortest: string[] | undefined;
  for (const start of group) {
    const path = pathBack(start, (file) =>
      targetsOf(file).filter((target) => members.has(target)),
    );
    if (path && path.length < (shortest?.length ?? Infinity)) shortest = path;
  }
  return shortest;
}

/** The shortest way from a file over its imports to itself. */
function pathBack(
  start: string,
  targetsOf: (file: string) => readonly string[],
): string[] | undefined {
  const seen = new Set<string>();
  const paths = [[start]];
  for (const path of paths)
    for (const target of targetsOf(path.at(-1)!)) {
      if (target === start) return path;
      if (seen.has(target)) continue;
      seen.add(target);
      paths.push([...path, target]);
    }
  return undefined;
}
