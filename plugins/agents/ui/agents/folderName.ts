/** The end of a path, which is what tells folders apart: `…/work/gantry`. */
export function toShortFolder(path: string): string {
  const parts = path.split("/").filter((part) => part !== "");
  if (parts.length <= 2) return path;
  return `…/${parts.slice(-2).join("/")}`;
}

/** The name of a folder, without the way to it. */
export function toFolderName(path: string): string {
  return path.split("/").findLast((part) => part !== "") ?? path;
}
