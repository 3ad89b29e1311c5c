import { realpath } from "node:fs/promises";
import { join, relative } from "node:path";
import type { Git, GitResult } from "@gantry/git-kit";
import { isGantryError } from "@gantry/plugin";
import { listSubmodules } from "./inner-repositories.ts";
import {
  MAX_CHANGES,
  parseStatus,
  type RepositoryStatus,
} from "./parse-status.ts";
import { joinPathTexts } from "./path-text.ts";
import {
  isRead,
  readAll,
  readGit,
  splitFields,
  toNotices,
} from "./read-git.ts";
import { parseWorktrees } from "./worktrees.ts";

const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;
const MAX_SUBMODULES = 64;
/** Submodules in submodules that are looked into. */
const DEEPEST = 4;

/** Whether anything has changed; `null` if nothing is known to, and something was not looked at. */
export function isDirty({ items, notices }: RepositoryStatus): boolean | null {
  if (items.length > 0) return true;
  return notices.length > 0 ? null : false;
}

/** Reads the status of the repository that a folder is in, and of the submodules in that folder. */
export async function readStatus(
  git: Git,
  folder: string,
  depth = 0,
): Promise<RepositoryStatus> {
  const [prefix, result, branch, submodules] = await readAll([
    readPrefix(git, folder),
    printStatus(git, folder),
    git.branch(folder),
    listSubmodules(git, folder),
  ]);
  const status = parseStatus(splitFields(result), prefix, result.truncated);
  status.branch = branch ?? null;
  status.notices.push(...toNotices(result.stderr));
  if (status.upstream !== null)
    status.upstream = (await readUpstream(git, folder, branch)) ?? null;
  await nameInner(git, folder, status);
  for (const path of submodules.slice(0, MAX_SUBMODULES))
    await addSubmodule(git, folder, status, path, depth);
  if (submodules.length > MAX_SUBMODULES)
    status.notices.push(
      `Only ${MAX_SUBMODULES} of ${submodules.length} submodules were looked into.`,
    );
  return status;
}

/** Renames are found by contents, which a partial clone may lack; then they are told as files that go and come. */
async function printStatus(git: Git, folder: string): Promise<GitResult> {
  const args = ["--porcelain=v2", "--branch", "-z", "--untracked-files=all"];
  const options = {
    maxOutputBytes: MAX_OUTPUT_BYTES,
    paths: ["."],
    encoding: "latin1",
  } as const;
  const result = await git(folder, "status", args, options);
  if (isRead(result)) return result;
  return await readGit(
    git,
    folder,
    "status",
    [...args, "--no-renames"],
    options,
  );
}

/** The path from the top of the working tree to a folder: empty, or with a slash at its end. */
async function readPrefix(git: Git, folder: string): Promise<string> {
  const [root, real] = await Promise.all([git.root(folder), realpath(folder)]);
  return root === undefined || root === real ? "" : `${relative(root, real)}/`;
}

/** The upstream by its full name, since what is short depends on what else has that name. */
async function readUpstream(
  git: Git,
  folder: string,
  branch: string | undefined,
): Promise<string | undefined> {
  if (branch === undefined) return undefined;
  const { stdout } = await git(folder, "for-each-ref", [
    "--format=%(upstream)",
    `refs/heads/${branch}`,
  ]);
  return stdout.trim().replace(/^refs\/(heads|remotes)\//, "") || undefined;
}

/** Tells working trees of this repository from repositories that it knows nothing of. */
async function nameInner(
  git: Git,
  folder: string,
  { repositories }: RepositoryStatus,
): Promise<void> {
  if (repositories.length === 0) return;
  const listed = await git(folder, "worktree", ["--porcelain", "-z"]);
  const trees = new Set(
    parseWorktrees(splitFields(listed)).map(({ path }) => path),
  );
  for (const each of repositories)
    if (trees.has(join(folder, each.path))) each.kind = "worktree";
}

/** Adds the changes in a submodule. git itself would run in it with that one's own configuration. */
async function addSubmodule(
  git: Git,
  folder: string,
  status: RepositoryStatus,
  path: string,
  depth: number,
): Promise<void> {
  const place = join(folder, path);
  const skip = (reason: string) =>
    status.notices.push(`The submodule ${path} was not looked into: ${reason}`);
  status.repositories.push({ path, kind: "submodule" });
  if (depth === DEEPEST) return void skip("it is too deep.");
  if ((await git.root(place)) !== (await realpath(place).catch(() => "")))
    return void skip((await git.refusal(place)) ?? "it is not there.");
  try {
    const inner = await readStatus(git, place, depth + 1);
    const below = (name: string) => joinPathTexts(path, name);
    for (const item of inner.items)
      status.items.push({
        ...item,
        path: below(item.path),
        from: item.from === null ? null : below(item.from),
        submodule: item.submodule === null ? path : below(item.submodule),
      });
    for (const each of inner.repositories)
      status.repositories.push({ ...each, path: below(each.path) });
    status.notices.push(...inner.notices.map((text) => `${path}: ${text}`));
    status.truncated ||= inner.truncated || status.items.length > MAX_CHANGES;
    status.items.length = Math.min(status.items.length, MAX_CHANGES);
  } catch (error) {
    if (!isGantryError(error) || error.code === "GIT_TIMEOUT") throw error;
    skip(error.message);
  }
}
