import {
  cp,
  mkdir,
  mkdtemp,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { applyMutant } from "./mutant.ts";
import type { Mutant } from "./mutant.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
/** What is made anew where it is needed. */
const LEFT_OUT = new Set([".cache", ".turbo", ".vite", ".vite-temp", "dist"]);

/** A copy of the kernel in which sources may be changed. The checkout is only read. */
export interface SourceTree {
  /** Its `kernel/`. */
  readonly kernel: string;
  /** Switches a protection off; gives what puts it back. */
  apply(mutant: Mutant): Promise<() => Promise<void>>;
  remove(): Promise<void>;
}

/** Copies the kernel into a temporary folder. What is installed is linked and not copied. */
export async function createSourceTree(): Promise<SourceTree> {
  const folder = await realpath(
    await mkdtemp(join(tmpdir(), "gantry-mutants-")),
  );
  const kernel = join(folder, "kernel");
  await mkdir(kernel);
  await cp(join(ROOT, "kernel"), kernel, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (source) => !LEFT_OUT.has(basename(source)),
  });
  // Links of the kernel's own node_modules are relative and lead here.
  for (const name of ["node_modules", "tooling", "tsconfig.base.json"])
    await symlink(join(ROOT, name), join(folder, name));
  return {
    kernel,
    async apply(mutant) {
      const file = join(kernel, mutant.file);
      const source = await readFile(file, "utf8");
      await writeFile(file, applyMutant(mutant, source));
      return () => writeFile(file, source);
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** The source of a mutant in the checkout. */
export function readSource({ file }: Mutant): Promise<string> {
  return readFile(join(ROOT, "kernel", file), "utf8");
}
