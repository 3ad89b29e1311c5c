/** Shortens a path to its last two parts, which distinguish folders best: `…/work/gantry`. */
export function toShortFolder(path: string): string {
  const parts = path.split("/").filter((part) => part !== "");
  if (parts.length <= 2) return path;
  return `…/${parts.slice(-2).join("/")}`;
}

/** Returns the last part of a path. */
export function toFolderName(path: string): string {
  return path.split("/").findLast((part) => part !== "") ?? path;
}
