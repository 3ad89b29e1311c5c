import { readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { format, getFileInfo } from "prettier";
import { fillNames } from "./names.ts";
import type { Names } from "./names.ts";

const TEMPLATE = fileURLToPath(new URL("../template", import.meta.url));

/** A file of a new plugin, by its path within the plugin's folder. */
export type MadeFiles = ReadonlyMap<string, string>;

/**
 * Makes the files of a new plugin in memory.
 *
 * @param place `inside` this repository, where versions come from the workspace, or in one of its own.
 */
export async function makeFiles(
  names: Names,
  place: "inside" | "outside",
): Promise<MadeFiles> {
  const files = new Map<string, string>();
  for (const part of ["common", place]) {
    const folder = join(TEMPLATE, part);
    const entries = await readdir(folder, {
      recursive: true,
      withFileTypes: true,
    });
    for (const entry of entries) {
      if (!entry.isFile()) continue;
      const source = join(entry.parentPath, entry.name);
      const path = fillNames(relative(folder, source), names)
        // npm leaves a file of the real name out of a package.
        .replace(/^_gitignore$/, ".gitignore")
        .replaceAll(sep, "/");
      const text = fillNames(await readFile(source, "utf8"), names);
      files.set(path, await formatText(path, text));
    }
  }
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Longer and shorter names than the template's change where lines break. */
async function formatText(path: string, text: string): Promise<string> {
  const { inferredParser } = await getFileInfo(path, { resolveConfig: false });
  return inferredParser ? format(text, { filepath: path }) : text;
}
