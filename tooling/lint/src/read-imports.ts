import { readFileSync } from "node:fs";
import { posix } from "node:path";
import typescript from "typescript";

/** The files of the repository that each file imports, types and `import()` included, by paths from the root. */
export type Imports = ReadonlyMap<string, readonly string[]>;

const SCRIPT = /<script\b[^>]*>([\s\S]*?)<\/script>/g;

/**
 * Reads what files import from each other by relative paths.
 *
 * @param root Folder of the repository.
 * @param files Paths from there, with slashes.
 */
export function readImports(root: string, files: readonly string[]): Imports {
  const known = new Set(files);
  return new Map(
    files.map((file) => {
      const text = readIfThere(posix.join(root, file));
      const targets = specifiersIn(file, text)
        .filter((specifier) => specifier.startsWith("."))
        .map((specifier) => posix.join(posix.dirname(file), specifier))
        .filter((target) => known.has(target));
      return [file, [...new Set(targets)]];
    }),
  );
}

/** A build that runs meanwhile removes files that it has just made. */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

function specifiersIn(file: string, text: string): string[] {
  const code = file.endsWith(".vue")
    ? [...text.matchAll(SCRIPT)].map(([, script]) => script).join("\n")
    : text;
  const { importedFiles } = typescript.preProcessFile(code);
  return importedFiles.map(({ fileName }) => fileName);
}
