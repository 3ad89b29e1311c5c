import {
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { applyMutant } from "./mutant.ts";
import type { Mutant } from "./mutant.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
/** Folders that are not copied, since they are made again when needed. */
const LEFT_OUT = new Set([".cache", ".turbo", ".vite", ".vite-temp", "dist"]);

/** A copy of one package in which sources may be changed. The checkout is only read. */
export interface SourceTree {
  /** The package's folder. */
  readonly folder: string;
  /** Switches a protection off; gives what puts it back. */
  apply(mutant: Mutant): Promise<() => Promise<void>>;
  remove(): Promise<void>;
}

/** Copies a package into a temporary folder. What is installed, and all other packages, are linked and not copied. */
export async function createSourceTree(
  name: Mutant["folder"],
): Promise<SourceTree> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "gantry-mutants-")));
  const folder = join(root, name);
  await mkdir(dirname(folder), { recursive: true });
  await cp(join(ROOT, name), folder, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (source) => !LEFT_OUT.has(basename(source)),
  });
  // Links of the package's own node_modules are relative and lead here.
  const isPlugin = name.startsWith("plugins/");
  for (const entry of [
    "node_modules",
    "kernel",
    "tooling",
    "tsconfig.base.json",
    ...(isPlugin ? [] : ["plugins"]),
  ])
    if (entry !== name) await symlink(join(ROOT, entry), join(root, entry));
  if (isPlugin)
    for (const other of await readdir(join(ROOT, "plugins")))
      if (`plugins/${other}` !== name)
        await symlink(
          join(ROOT, "plugins", other),
          join(root, "plugins", other),
        );
  return {
    folder,
    async apply(mutant) {
      const file = join(folder, mutant.file);
      const source = await readFile(file, "utf8");
      await writeFile(file, applyMutant(mutant, source));
      return () => writeFile(file, source);
    },
    remove: () => rm(root, { recursive: true, force: true }),
  };
}

/** The source of a mutant in the checkout. */
export function readSource({ folder, file }: Mutant): Promise<string> {
  return readFile(join(ROOT, folder, file), "utf8");
}
