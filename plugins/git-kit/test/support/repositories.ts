import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { temporaryFolder } from "@gantry/build/testing";

const execute = promisify(execFile);

/** Runs git as a user would, with no settings but the repository's. */
export async function plainGit(
  folder: string,
  ...args: readonly string[]
): Promise<string> {
  const { stdout } = await execute("git", args, {
    cwd: folder,
    env: {
      PATH: process.env["PATH"],
      HOME: "/nonexistent",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_AUTHOR_NAME: "Ann",
      GIT_AUTHOR_EMAIL: "ann@example.org",
      GIT_COMMITTER_NAME: "Ann",
      GIT_COMMITTER_EMAIL: "ann@example.org",
    },
  });
  return stdout;
}

/** A repository with two commits and a change that is in none. */
export async function createRepository(): Promise<string> {
  const folder = join(await temporaryFolder(), "work");
  await mkdir(folder);
  await plainGit(folder, "init", "-q", "-b", "main");
  await writeFile(join(folder, "a.txt"), "one\n");
  await plainGit(folder, "add", ".");
  await plainGit(folder, "commit", "-qm", "One");
  await writeFile(join(folder, "a.txt"), "two\n");
  await plainGit(folder, "commit", "-qam", "Two");
  await writeFile(join(folder, "a.txt"), "three\n");
  return folder;
}
