const PARAMETER = /\{(\w+)\}/g;

/** `/api/notes/{id}` as h3's router spells it. */
export function toPattern(path: string): string {
  return path.replace(PARAMETER, ":$1");
}

/** Normalizes a path without the names of its parameters: paths that differ only in these are the same address. */
export function toShape(path: string): string {
  return path.replace(PARAMETER, "{}");
}

/** Names of a path's parameters, in their order. */
export function parametersOf(path: string): string[] {
  return [...path.matchAll(PARAMETER)].map(([, name = ""]) => name);
}
