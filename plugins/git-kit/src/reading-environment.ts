import { chmod, mkdir, realpath, rm, writeFile } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import type { Run } from "@gantry/plugin";

/** How an environment for reading is created. */
export interface ReadingEnvironmentOptions {
  /** The plugin's `ctx.run`, which finds the real git. */
  run: Pick<Run, "find">;
  /** Arguments of Node with which it starts the program of the plugin that calls `runReadingGit`. */
  program: readonly string[];
  /** The `PATH` to extend; defaults to the daemon's. Relative folders are left out: they would be the repository's. */
  path?: string;
}

/**
 * Creates the environment of a child process, such as an agent's CLI, whose own calls of git need the protection of
 * {@link Git}. Our `git` comes first on its `PATH`: a call that {@link planReadingGit} accepts only reads, in any
 * repository. Any other call runs unchanged; whether the child may make it is for the caller to decide. A shell that
 * replaces `PATH` gets the real git, which finds no repository because `GIT_DIR` names none.
 *
 * @param folder Is emptied first, and must stay until the child has ended.
 */
export async function createReadingEnvironment(
  folder: string,
  { run, program, path = process.env.PATH ?? "" }: ReadingEnvironmentOptions,
): Promise<Record<string, string>> {
  const git = (await run.find("git")) ?? "";
  await rm(folder, { recursive: true, force: true });
  const programs = join(folder, "bin");
  const views = join(folder, "views");
  for (const each of [programs, views])
    await mkdir(each, { recursive: true, mode: 0o700 });
  const launcher = join(programs, "git");
  // Nothing can be created below a file. git prints the path, which tells where the usable git is.
  const noRepository = join(launcher, "is-the-git-to-use");
  // The parameters of the program, before the arguments of git.
  const setup = [git, noRepository, await realpath(views)];
  const words = [process.execPath, ...program, ...setup];
  const line = words.map(quote).join(" ");
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
