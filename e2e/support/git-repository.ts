import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Makes a git repository with one commit of some files in a folder. */
export async function createGitRepository(
  folder: string,
  files: Readonly<Record<string, string>> = { "README.md": "# Sample\n" },
): Promise<string> {
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
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  await git("add", ".");
  await git("commit", "--quiet", "--message", "Begin");
  return folder;
}
