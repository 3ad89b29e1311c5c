import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Makes a git repository with one commit in a folder. */
export async function createGitRepository(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const git = (...args: string[]) =>
    run("git", [
      "-C",
      folder,
      "-c",
      "user.name=Test",
      "-c",
      "user.email=test@example.org",
      ...args,
    ]);
  await git("init", "--quiet", "--initial-branch=main");
  await writeFile(join(folder, "README.md"), "# Sample\n");
  await git("add", ".");
  await git("commit", "--quiet", "--message", "Begin");
  return folder;
}
