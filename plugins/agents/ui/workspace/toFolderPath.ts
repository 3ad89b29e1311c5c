/** The path of a file from a folder on, as the routes of an agent's folder take it; `undefined` if it is not in there. */
export function toFolderPath(folder: string, path: string): string | undefined {
  const unix = path.replaceAll("\\", "/");
  const base = folder.replaceAll("\\", "/").replace(/\/+$/, "");
  const isAbsolute = unix.startsWith("/") || /^[A-Za-z]:\//.test(unix);
  if (isAbsolute && !unix.startsWith(`${base}/`)) return undefined;
  const names = (isAbsolute ? unix.slice(base.length + 1) : unix)
    .split("/")
    .filter((name) => name !== "" && name !== ".");
  return names.length === 0 || names.includes("..")
    ? undefined
    : names.join("/");
}
