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
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { applyMutant } from "./mutant.ts";
import type { Mutant } from "./mutant.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
/** What is rebuilt where it is needed. */
const LEFT_OUT = new Set([".cache", ".turbo", ".vite", ".vite-temp", "dist"]);

/** Packages in which mutants are. */
const PACKAGES = ["kernel", "plugins/browser"] as const;

const LINKED = ["node_modules", "tooling", "ui", "tsconfig.base.json"];

/** A copy of these packages in which sources may be changed. The checkout is only read. */
export interface SourceTree {
  /** The folder of a mutant's package in the copy. */
  packageOf(mutant: Pick<Mutant, "package">): string;
  /** Switches a protection off; gives what puts it back. */
  apply(mutant: Mutant): Promise<() => Promise<void>>;
  remove(): Promise<void>;
}

/** Copies the packages into a temporary folder. What is installed and all other packages are linked and not copied. */
export async function createSourceTree(): Promise<SourceTree> {
  const folder = await realpath(
    await mkdtemp(join(tmpdir(), "gantry-mutants-")),
  );
  for (const name of PACKAGES) {
    await mkdir(join(folder, name), { recursive: true });
    await cp(join(ROOT, name), join(folder, name), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (source) => !LEFT_OUT.has(basename(source)),
    });
  }
  // Links of a package's own node_modules are relative and lead here.
  const others = (await readdir(join(ROOT, "plugins")))
    .map((name) => `plugins/${name}`)
    .filter((name) => !(PACKAGES as readonly string[]).includes(name));
  for (const name of [...LINKED, ...others])
    await symlink(join(ROOT, name), join(folder, name));
  const packageOf = (mutant: Pick<Mutant, "package">) =>
    join(folder, mutant.package ?? "kernel");
  return {
    packageOf,
    async apply(mutant) {
      const file = join(packageOf(mutant), mutant.file);
      const source = await readFile(file, "utf8");
      await writeFile(file, applyMutant(mutant, source));
      return () => writeFile(file, source);
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** The path of a file of a mutant's package in the checkout. */
export function pathOf(mutant: Pick<Mutant, "package">, file: string): string {
  return join(ROOT, mutant.package ?? "kernel", file);
}

/** The source of a mutant in the checkout. */
export function readSource(mutant: Mutant): Promise<string> {
  return readFile(pathOf(mutant, mutant.file), "utf8");
}
