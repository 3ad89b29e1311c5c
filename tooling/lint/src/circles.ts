import { globSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";

/** What imports what: a name, and the names that it imports. */
export type ImportGraph = ReadonlyMap<string, ReadonlySet<string>>;

const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*"([^"]+)"/g;

/**
 * Reads which sources import which others, for types too.
 *
 * @param root Folder of the repository.
 * @param patterns Globs of the sources below it.
 */
export function readImports(
  root: string,
  patterns: readonly string[],
): ImportGraph {
  const files = globSync(patterns, { cwd: root });
  const known = new Set(files);
  const sources = new Map(
    globSync("{kernel,plugins}/*/package.json", { cwd: root }).map((file) => {
      const text = readFileSync(join(root, file), "utf8");
      const { name } = JSON.parse(text) as { name: string };
      return [name, `${dirname(file)}/src`];
    }),
  );
  const graph = new Map<string, Set<string>>();
  for (const file of files) {
    const text = readFileSync(join(root, file), "utf8");
    const targets = [...text.matchAll(IMPORT)].flatMap(
      ([, specifier = ""]) => toPath(file, specifier, sources) ?? [],
    );
    graph.set(file, new Set(targets.filter((path) => known.has(path))));
  }
  return graph;
}

function toPath(
  file: string,
  specifier: string,
  sources: ReadonlyMap<string, string>,
): string | undefined {
  if (specifier.startsWith("."))
    return posix.normalize(posix.join(posix.dirname(file), specifier));
  const [scope, name, ...path] = specifier.split("/");
  const folder = sources.get(`${scope}/${name}`);
  return folder && `${folder}/${path.join("/") || "index"}.ts`;
}

/** The same graph between groups of files, such as folders. */
export function groupImports(
  graph: ImportGraph,
  groupOf: (file: string) => string,
): ImportGraph {
  const groups = new Map<string, Set<string>>();
  for (const [file, targets] of graph) {
    const group = groupOf(file);
    const imported = groups.get(group) ?? new Set();
    groups.set(group, imported);
    for (const target of targets)
      if (groupOf(target) !== group) imported.add(groupOf(target));
  }
  return groups;
}

/** Circles in a graph, each with its first name repeated at the end; at least one if there is any. */
export function findCircles(graph: ImportGraph): string[][] {
  const circles: string[][] = [];
  const done = new Set<string>();
  const path: string[] = [];

  function visit(name: string): void {
    const start = path.indexOf(name);
    if (start >= 0) return void circles.push([...path.slice(start), name]);
    if (done.has(name)) return;
    path.push(name);
    for (const target of graph.get(name) ?? []) visit(target);
    path.pop();
    done.add(name);
  }

  for (const name of graph.keys()) visit(name);
  return circles;
}
