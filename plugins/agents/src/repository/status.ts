import { realpath } from "node:fs/promises";
import { join, relative } from "node:path";
import { isGantryError, type Git } from "@gantry/plugin";
import { listSubmodules, type InnerRepository } from "./inner-repositories.ts";
import { joinPathTexts, toPathText, toUtf8 } from "./path-text.ts";
import { readGit, splitFields, toNotices } from "./read-git.ts";
import { parseWorktrees } from "./worktrees.ts";

const MOST_CHANGES = 2000;
const MOST_OUTPUT = 4 * 1024 * 1024;
const MOST_SUBMODULES = 64;
/** Submodules in submodules that are looked into. */
const DEEPEST = 4;

export const CHANGE_KINDS = [
  "modified",
  "added",
  "deleted",
  "renamed",
  "type-changed",
  "untracked",
  "conflicted",
] as const;

/** A file that is not as the last commit has it. */
export interface FileChange {
  /** With octal numbers for bytes if it is not UTF-8. */
  path: string;
  /** Where it was before it was renamed. */
  from: string | null;
  kind: (typeof CHANGE_KINDS)[number];
  /** All of the change is to be in the next commit. */
  staged: boolean;
  /** Path of the submodule whose file it is; a commit of the repository around it does not take it up. */
  submodule: string | null;
}

/** How a working tree is. Paths are relative to the agent's folder, and only what lies in it is told. */
export interface RepositoryStatus {
  /** Full hash of the commit that is checked out; `null` before the first one. */
  head: string | null;
  /** `null` if no branch is checked out. */
  branch: string | null;
  upstream: string | null;
  /** Commits that the upstream does not have, and those that only it has; `null` without one. */
  ahead: number | null;
  behind: number | null;
  items: FileChange[];
  truncated: boolean;
  /** Repositories of their own in the folder. Changes in submodules are among the items, those in others are not. */
  repositories: InnerRepository[];
  /** What was not looked at, and why. */
  notices: string[];
}

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
  const [prefix, result, branch, submodules] = await Promise.all([
    readPrefix(git, folder),
    readGit(
      git,
      folder,
      "status",
      ["--porcelain=v2", "--branch", "-z", "--untracked-files=all"],
      { maxOutputBytes: MOST_OUTPUT, paths: ["."], encoding: "latin1" },
    ),
    git.branch(folder),
    listSubmodules(git, folder),
  ]);
  const status = parseStatus(splitFields(result), prefix, result.truncated);
  status.branch = branch ?? null;
  status.notices.push(...toNotices(result.stderr));
  if (status.upstream !== null)
    status.upstream = (await readUpstream(git, folder, branch)) ?? null;
  await nameInner(git, folder, status);
  for (const path of submodules.slice(0, MOST_SUBMODULES))
    await addSubmodule(git, folder, status, path, depth);
  if (submodules.length > MOST_SUBMODULES)
    status.notices.push(
      `Only ${MOST_SUBMODULES} of ${submodules.length} submodules were looked into.`,
    );
  return status;
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
    status.truncated ||= inner.truncated || status.items.length > MOST_CHANGES;
    status.items.length = Math.min(status.items.length, MOST_CHANGES);
  } catch (error) {
    if (!isGantryError(error) || error.code === "GIT_TIMEOUT") throw error;
    skip(error.message);
  }
}

/** Reads what `git status --porcelain=v2 --branch -z` prints, with a character for each byte. */
export function parseStatus(
  fields: readonly string[],
  prefix: string,
  truncated: boolean,
): RepositoryStatus {
  const status: RepositoryStatus = {
    head: null,
    branch: null,
    upstream: null,
    ahead: null,
    behind: null,
    items: [],
    truncated,
    repositories: [],
    notices: [],
  };
  const start = Buffer.from(prefix).toString("latin1");
  const toText = (path: string) =>
    toPathText(path.startsWith(start) ? path.slice(start.length) : path);
  for (let index = 0; index < fields.length; index++) {
    const line = fields[index] ?? "";
    if (line.startsWith("# ")) {
      readHeader(status, toUtf8(line.slice(2)));
      continue;
    }
    const from = line.startsWith("2 ") ? (fields[++index] ?? "") : null;
    const change = readChange(line, from);
    if (!change) continue;
    // With each file told, a folder alone is one that has a repository of its own.
    if (change.kind === "untracked" && change.path.endsWith("/")) {
      const path = toText(change.path.slice(0, -1));
      status.repositories.push({ path, kind: "nested" });
      continue;
    }
    if (status.items.length === MOST_CHANGES) {
      status.truncated = true;
      break;
    }
    status.items.push({
      ...change,
      path: toText(change.path),
      from: change.from === null ? null : toText(change.from),
      submodule: null,
    });
  }
  return status;
}
function readHeader(status: RepositoryStatus, header: string): void {
  const space = header.indexOf(" ");
  const [name, value] = [header.slice(0, space), header.slice(space + 1)];
  if (name === "branch.oid" && value !== "(initial)") status.head = value;
  if (name === "branch.upstream") status.upstream = value;
  const [, ahead, behind] = /^\+(\d+) -(\d+)$/.exec(value) ?? [];
  if (name === "branch.ab" && ahead && behind)
    Object.assign(status, { ahead: Number(ahead), behind: Number(behind) });
}

/** Number of words before the path, by the kind of line. */
const WORDS: Readonly<Record<string, number>> = { 1: 8, 2: 9, u: 10, "?": 1 };

function readChange(
  line: string,
  from: string | null,
): Omit<FileChange, "submodule"> | undefined {
  const words = WORDS[line[0] ?? ""];
  if (words === undefined) return undefined;
  let at = 0;
  for (let count = 0; count < words; count++) at = line.indexOf(" ", at) + 1;
  const path = line.slice(at);
  if (line.startsWith("?"))
    return { path, from: null, kind: "untracked", staged: false };
  if (line.startsWith("u"))
    return { path, from: null, kind: "conflicted", staged: false };
  const [index = ".", tree = "."] = line.slice(2, 4);
  const isRenamed = index === "R" || tree === "R";
  return {
    path,
    from: isRenamed ? from : null,
    kind: kindOf(tree === "." ? index : tree, index),
    staged: tree === ".",
  };
}

function kindOf(letter: string, index: string): FileChange["kind"] {
  if (index === "A" && letter !== "D") return "added";
  if (index === "R" && letter !== "D") return "renamed";
  const kinds: Readonly<Record<string, FileChange["kind"]>> = {
    A: "added",
    C: "added",
    D: "deleted",
    R: "renamed",
    T: "type-changed",
  };
  return kinds[letter] ?? "modified";
}
