import { basename } from "node:path";
import ts from "typescript";

/**
 * Describes an entry point as text: the names that it exports at run time, and its declarations without comments.
 *
 * @param entry Path of its source.
 * @param names What it exports at run time.
 */
export function describeSurface(
  entry: string,
  names: readonly string[],
): string {
  const files = new Map<string, string>();
  const program = ts.createProgram([entry], {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.Preserve,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    strict: true,
    declaration: true,
    emitDeclarationOnly: true,
    removeComments: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    types: ["node"],
  });
  program.emit(undefined, (path, text) => files.set(basename(path), text));
  const declarations = [...files]
    .filter(([, text]) => text.trim() !== "export {};")
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, text]) => `--- ${path}\n${text.trim()}\n`);
  return [
    `--- run time\n${names.toSorted().join("\n")}\n`,
    ...declarations,
  ].join("\n");
}
