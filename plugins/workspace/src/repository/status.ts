import { relative } from "node:path";
import type { Git } from "@gantry/plugin";
import { readGit, splitFields } from "./read-git.ts";

const MAX_CHANGES = 2000;
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;

export const CHANGE_KINDS = [
  "modified",
  "added",
  "deleted",
  "renamed",
  "type-changed",
  "untracked",
  "conflicted",
] as const;

/** A file that differs from the last commit. */
export interface FileChange {
  path: string;
  /** Its path before it was renamed. */
  from: string | null;
  kind: (typeof CHANGE_KINDS)[number];
  /** All of the change is to be in the next commit. */
  staged: boolean;
}

/** How a working tree is. Paths are relative to the agent's folder; changes outside of it are left out. */
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
}

/**
 * Reads the status of the repository that a folder is in.
 *
 * @param untracked Whether to list each file of a new folder, or the folder alone, which is faster.
 */
export async function readStatus(
  git: Git,
  folder: string,
  untracked: "all" | "normal",
): Promise<RepositoryStatus> {
  const prefix = await readPrefix(git, folder);
  const result = await readGit(
    git,
    folder,
    "status",
    ["--porcelain=v2", "--branch", "-z", `--untracked-files=${untracked}`],
    { maxOutputBytes: MAX_OUTPUT_BYTES, paths: ["."] },
  );
  return parseStatus(splitFields(result), prefix, result.truncated);
}

/** The path from the top of the working tree to a folder: empty, or with a slash at its end. */
async function readPrefix(git: Git, folder: string): Promise<string> {
  const root = await git.root(folder);
  return root === undefined || root === folder
    ? ""
    : `${relative(root, folder)}/`;
}

/** Reads what `git status --porcelain=v2 --branch -z` prints. */
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
  };
  for (let index = 0; index < fields.length; index++) {
    const line = fields[index] ?? "";
    if (line.startsWith("# ")) {
      readHeader(status, line.slice(2));
      continue;
    }
    const from = line.startsWith("2 ") ? (fields[++index] ?? "") : null;
    const change = readChange(line, from);
    if (!change) continue;
    if (status.items.length === MAX_CHANGES) {
      status.truncated = true;
      break;
    }
    status.items.push({
      ...change,
      path: without(prefix, change.path),
      from: change.from === null ? null : without(prefix, change.from),
    });
  }
  return status;
}

function without(prefix: string, path: string): string {
  return path.startsWith(prefix) ? path.slice(prefix.length) : path;
}

function readHeader(status: RepositoryStatus, header: string): void {
  const space = header.indexOf(" ");
  const [name, value] = [header.slice(0, space), header.slice(space + 1)];
  if (name === "branch.oid" && value !== "(initial)") status.head = value;
  if (name === "branch.head" && value !== "(detached)") status.branch = value;
  if (name === "branch.upstream") status.upstream = value;
  const [, ahead, behind] = /^\+(\d+) -(\d+)$/.exec(value) ?? [];
  if (name === "branch.ab" && ahead && behind)
    Object.assign(status, { ahead: Number(ahead), behind: Number(behind) });
}

/** Number of words before the path, by the kind of line. */
const WORDS: Readonly<Record<string, number>> = { 1: 8, 2: 9, u: 10, "?": 1 };

function readChange(line: string, from: string | null): FileChange | undefined {
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
