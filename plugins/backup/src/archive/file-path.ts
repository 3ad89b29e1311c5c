const MAX_PATH_BYTES = 1024;
const MAX_NAME_BYTES = 255;
// eslint-disable-next-line no-control-regex -- they are what is looked for
const CONTROL = /[\x00-\x1f\x7f]/;

/**
 * Why a path of a plugin's file is refused, on every system alike: a snapshot that was made on one is restored on another.
 *
 * @param path Relative to the plugin's folder, with `/`.
 * @returns `undefined` for a path that is fine
 */
export function whyUnsafe(path: string): string | undefined {
  if (path === "") return "it has no name";
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return "its path is too long";
  if (/\p{Surrogate}|\ufffd/u.test(path))
    return "its name is not well-formed text";
  if (CONTROL.test(path)) return "its name has control characters";
  if (path.includes("\\")) return "its name has a backslash";
  if (path.startsWith("/") || /^[A-Za-z]:/.test(path))
    return "its path is absolute";
  for (const name of path.split("/")) {
    if (name === "" || name === "." || name === "..")
      return "its path leaves the folder";
    if (Buffer.byteLength(name) > MAX_NAME_BYTES) return "its name is too long";
  }
  return undefined;
}

/** Files, links and folders that have been seen, to find two that some systems take for one. */
export class SeenPaths {
  /** And links, so that nothing is below one. */
  readonly #files = new Set<string>();
  readonly #folders = new Set<string>();
  /** Folders that are listed themselves. */
  readonly #listed = new Set<string>();

  /** Why a path cannot stand beside those before it; `undefined`, and it is seen, if it can. */
  add(plugin: string, path: string): string | undefined {
    const folded = fold(plugin, path);
    if (this.#files.has(folded))
      return "another file has the same name, but for upper and lower case";
    if (this.#folders.has(folded))
      return "a folder has the same name, but for upper and lower case";
    const reason = this.#addFolders(folded);
    if (reason === undefined) this.#files.add(folded);
    return reason;
  }

  /** The same for a folder itself. */
  addFolder(plugin: string, path: string): string | undefined {
    const folded = fold(plugin, path);
    if (this.#listed.has(folded))
      return "another folder has the same name, but for upper and lower case";
    const reason = this.#addFolders(`${folded}/`);
    if (reason === undefined) this.#listed.add(folded);
    return reason;
  }

  #addFolders(folded: string): string | undefined {
    const folders: string[] = [];
    for (let end = folded.lastIndexOf("/"); end > 0;) {
      const folder = folded.slice(0, end);
      if (this.#files.has(folder))
        return "a file has the same name as its folder";
      if (this.#folders.has(folder)) break;
      folders.push(folder);
      end = folder.lastIndexOf("/");
    }
    for (const folder of folders) this.#folders.add(folder);
    return undefined;
  }
}

function fold(plugin: string, path: string): string {
  return `${plugin}/${path}`.normalize("NFC").toLowerCase();
}
