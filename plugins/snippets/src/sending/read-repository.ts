import { open } from "node:fs/promises";
import { constants } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

const LARGEST_FILE = 4096;

/** What is known of the repository that a folder is in. */
export interface Repository {
  /** Name of its top folder. */
  name: string;
  /** The branch that is checked out; `null` if it is none. */
  branch: string | null;
}

/**
 * Reads what repository a folder is in from the repository's own files. git itself is not asked, since it runs programs
 * that the repository chose. `null` if the folder is in none.
 */
export async function readRepository(
  folder: string,
): Promise<Repository | null> {
  for (let at = folder; ; at = dirname(at)) {
    const head = await readHead(join(at, ".git"));
    if (head !== undefined)
      return { name: basename(at) || at, branch: toBranch(head) };
    if (dirname(at) === at) return null;
  }
}

async function readHead(git: string): Promise<string | undefined> {
  const direct = await read(join(git, "HEAD"));
  if (direct !== undefined) return direct;
  // In a worktree and in a submodule, `.git` is a file that names the real place.
  const link = /^gitdir: ([^\n]+)$/m.exec((await read(git)) ?? "")?.[1];
  return link === undefined
    ? undefined
    : await read(join(resolve(dirname(git), link.trim()), "HEAD"));
}

/** The beginning of a plain file; a pipe in its place would keep us waiting. */
async function read(path: string): Promise<string | undefined> {
  try {
    await using file = await open(
      path,
      constants.O_RDONLY | constants.O_NONBLOCK,
    );
    if (!(await file.stat()).isFile()) return undefined;
    const { buffer, bytesRead } = await file.read({
      buffer: Buffer.alloc(LARGEST_FILE),
    });
    return buffer.toString("utf8", 0, bytesRead);
  } catch {
    return undefined;
  }
}

/** A detached HEAD is a hash, and no branch. */
function toBranch(head: string): string | null {
  const branch = /^ref: refs\/heads\/([^\p{C}\s~^:?*[\\]{1,250})\n?$/u.exec(
    head,
  )?.[1];
  // Repositories that keep their references elsewhere say so with a name that none can have.
  return branch === undefined || branch.startsWith(".") ? null : branch;
}
