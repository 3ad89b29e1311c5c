import { chmod, mkdir, realpath, rm, writeFile } from "node:fs/promises";
import { delimiter, extname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The program's file, beside this one both in the sources and in the bundle. */
const PROGRAM = new URL(
  `./reading-git${extname(import.meta.url)}`,
  import.meta.url,
);

/**
 * Creates the environment of a program whose git calls only read: our `git` comes first on its `PATH`. A shell that
 * replaces `PATH` gets the real git, which finds no repository because `GIT_DIR` names none.
 *
 * @param folder Emptied first.
 * @param options.git The real git, if there is one.
 * @param options.path The `PATH` to extend. Relative folders are left out: they would be the repository's.
 */
export async function createReadingEnvironment(
  folder: string,
  { git = "", path }: { git: string | undefined; path: string },
): Promise<Record<string, string>> {
  await rm(folder, { recursive: true, force: true });
  const programs = join(folder, "bin");
  const views = join(folder, "views");
  for (const each of [programs, views])
    await mkdir(each, { recursive: true, mode: 0o700 });
  const launcher = join(programs, "git");
  // Nothing can be created below a file. git prints the path in its error, which shows where the usable git is.
  const noRepository = join(launcher, "is-the-git-to-use");
  // The program's parameters, placed before the arguments of git.
  const setup = [git, noRepository, await realpath(views)];
  const condition = PROGRAM.pathname.endsWith(".ts")
    ? ["--conditions=gantry-source"]
    : [];
  const words = [process.execPath, ...condition, fileURLToPath(PROGRAM)];
  const line = [...words, ...setup].map(quote).join(" ");
  await writeFile(launcher, `#!/bin/sh\nexec ${line} "$@"\n`);
  await chmod(launcher, 0o700);
  return {
    PATH: [programs, ...path.split(delimiter).filter(isAbsolute)].join(
      delimiter,
    ),
    GIT_DIR: noRepository,
    GIT_ASKPASS: "",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_PAGER: "cat",
    GIT_TERMINAL_PROMPT: "0",
    PAGER: "cat",
    SSH_ASKPASS: "",
  };
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
