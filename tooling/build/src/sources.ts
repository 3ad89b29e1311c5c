import { readdirSync, readFileSync } from "node:fs";
import { extname, join, relative } from "node:path";

/** A source file of a plugin's UI. */
export interface SourceFile {
  /** Relative to the plugin's folder, for messages. */
  path: string;
  extension: string;
  content: string;
}

const EXTENSIONS = new Set([".vue", ".ts", ".tsx", ".js", ".jsx", ".mjs"]);

/** Reads every source of the plugin's `ui/` folder except tests, in a stable order. */
export function readUiSources(folder: string): SourceFile[] {
  return readdirSync(join(folder, "ui"), {
    recursive: true,
    withFileTypes: true,
  })
    .filter(
      (entry) =>
        entry.isFile() &&
        EXTENSIONS.has(extname(entry.name)) &&
        !/\.(test|spec)\./.test(entry.name),
    )
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.includes("node_modules"))
    .sort()
    .map((file) => ({
      path: relative(folder, file),
      extension: extname(file).slice(1),
      content: readFileSync(file, "utf8"),
    }));
}
