import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const FOLDER_FILES = 100;

/** Where the one file of a repository is that was changed since its commit. */
export const CHANGED_FILE = join("folder-0", "file-0.txt");

/** Makes a repository with files, a hundred in a folder. */
export async function createRepository(
  cwd: string,
  files: number,
): Promise<void> {
  await mkdir(cwd, { recursive: true });
  const git = (...args: string[]) =>
    run("git", ["-c", "user.name=Bench", "-c", "user.email=b@x", ...args], {
      cwd,
    });
  await git("init", "--quiet");
  for (let file = 0; file < files; file++) {
    const folder = join(cwd, `folder-${Math.floor(file / FOLDER_FILES)}`);
    if (file % FOLDER_FILES === 0) await mkdir(folder);
    await writeFile(join(folder, `file-${file}.txt`), `${file}\n`);
  }
  await git("add", ".");
  await git("commit", "--quiet", "--message", "All");
  await writeFile(join(cwd, CHANGED_FILE), "changed\n");
}

/** What git itself says of the state of a repository. */
export async function readStatus(
  cwd: string,
  signal: AbortSignal,
): Promise<void> {
  const args = ["status", "--porcelain=v2", "--branch", "-z"];
  await run("git", args, { cwd, signal });
}
