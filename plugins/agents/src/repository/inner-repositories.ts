import { lstat, realpath } from "node:fs/promises";
import { join } from "node:path";
import type { Git } from "@gantry/git-kit";
import { readGit, splitFields } from "./read-git.ts";
import { parseGitPath, toPathText, toUtf8, type GitPath } from "./path-text.ts";

/** What is known of the index; a larger one is read in part. */
const MAX_INDEX_BYTES = 64 * 1024 * 1024;

/** A repository below the agent's folder whose files are not those of the repository around it. */
export interface InnerRepository {
  /** From the agent's folder on. */
  path: string;
  /** `worktree` is a working tree of the repository around it, `nested` one that this knows nothing of. */
  kind: "worktree" | "submodule" | "nested";
}

/** The submodules below a folder that are checked out. */
export async function listSubmodules(
  git: Git,
  folder: string,
): Promise<string[]> {
  const listed = await readGit(git, folder, "ls-files", ["--stage", "-z"], {
    encoding: "latin1",
    maxOutputBytes: MAX_INDEX_BYTES,
  });
  const paths = splitFields(listed).flatMap((field) =>
    field.startsWith("160000 ")
      ? [toPathText(field.slice(field.indexOf("\t") + 1))]
      : [],
  );
  const unique = [...new Set(paths)];
  const found = await Promise.all(
    unique.map((path) =>
      lstat(join(folder, path, ".git")).then(
        () => true,
        () => false,
      ),
    ),
  );
  return unique.filter((_, index) => found[index]);
}

/** A repository below the agent's folder, and a path in it. */
export interface InnerPlace {
  /** The top folder of its working tree, absolute. */
  root: string;
  /** The same from the agent's folder on. */
  prefix: string;
  /** From the top folder on; empty for that folder itself. */
  inside: GitPath;
  /** Why it is not read. */
  refusal: string | undefined;
}

/**
 * The innermost repository around a path. `undefined` if it is that of the folder itself, or if a link is in the way: what
 * that leads to is no part of the folder.
 */
export async function findInner(
  git: Git,
  folder: string,
  path: GitPath,
): Promise<InnerPlace | undefined> {
  const names = Buffer.from(path).toString("latin1").split("/");
  for (let count = names.length; count > 0; count -= 1) {
    const prefix = toUtf8(names.slice(0, count).join("/"));
    const root = join(folder, prefix);
    const entry = await lstat(join(root, ".git")).catch(() => undefined);
    if (!entry) continue;
    const real = await realpath(root).catch(() => undefined);
    if (real !== root) return undefined;
    const inside = parseGitPath(toPathText(names.slice(count).join("/")));
    const refusal =
      (await git.root(root)) === root
        ? undefined
        : ((await git.refusal(root)) ?? "It is no repository.");
    return { root, prefix, inside, refusal };
  }
  return undefined;
}
