const PARAMETER = /\{(\w+)\}/g;

/** `/api/notes/{id}` as the routers of h3 and rou3 spell it. */
export function toPattern(path: string): string {
  return path.replace(PARAMETER, ":$1");
}

/** What two paths have in common that are one address: parameters of another name make no other. */
export function toShape(path: string): string {
  return path.replace(PARAMETER, "{}");
}

/** Names of a path's parameters, in their order. */
export function parametersOf(path: string): string[] {
  return [...path.matchAll(PARAMETER)].map(([, name = ""]) => name);
}
